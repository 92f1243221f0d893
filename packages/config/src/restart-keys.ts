const WORKER = 'workers read it when they start'
const PORT = 'the hub opens its port when it starts'
const INDEX = 'hub and workers connect to the index when they start'
const BUCKET = 'the hub opens its object storage when it starts'
const STATE = 'the hub takes over its state when it starts'
const RUNNER = 'the hub reads the template of its jobs when it starts'
const PATH = 'the path is read at the start; a changed file at the same path is reloaded'
const CLUSTER = 'the hub connects to the cluster when it starts'
const STORED = 'one run stores all calls by the same rules'

export type Part = 'hub' | 'worker'
/** Which of the processes reads a key at its start. */
const parts: Readonly<Record<string, readonly Part[]>> = {
  [WORKER]: ['worker'],
  [PORT]: ['hub'],
  [BUCKET]: ['hub', 'worker'],
  [STATE]: ['hub'],
  [RUNNER]: ['hub'],
  [PATH]: ['hub'],
  [CLUSTER]: ['hub'],
}

/** Keys, or prefixes of keys, whose change needs a restart, each with the reason. The hub applies all others at once. */
const restartKeys: Readonly<Record<string, string>> = {
  'tap.capture.dissection.backfill': WORKER,
  'tap.capture.dissection.bodyBytes': STORED,
  'tap.capture.raw': WORKER,
  'tap.capture.events': 'the event logs are opened at the start',
  'tap.capture.rewind': WORKER,
  'tap.capture.dbMaxSize': WORKER,
  'tap.capture.interfaces': WORKER,
  'tap.capture.snapLength': WORKER,
  'tap.capture.bufferSize': WORKER,
  'tap.capture.captureSelf': WORKER,
  'tap.capture.ownPorts': 'hub and workers open their connections with these ports from the start',
  'tap.capture.podLoopback': WORKER,
  'tap.capture.podInterfaces': WORKER,
  'tap.index': INDEX,
  'tap.snapshots.storage': BUCKET,
  'tap.snapshots.s3': BUCKET,
  'tap.delayedDissection.runner': RUNNER,
  'tap.delayedDissection.jobTemplate': RUNNER,
  'tap.redaction.credentials': STORED,
  'tap.redaction.headers': STORED,
  'tap.redaction.query': STORED,
  'tap.redaction.json': STORED,
  'tap.redaction.sqlLiterals': STORED,
  'tap.redaction.detect': STORED,
  'tap.redaction.patterns': STORED,
  'tap.redaction.bodies': STORED,
  'tap.kubernetes': CLUSTER,
  'tap.tls.cert': PATH,
  'tap.tls.key': PATH,
  'tap.tls.ca': WORKER,
  'tap.tls.capture.sealingKeyFile': 'the hub opens its store of TLS keys when it starts',
  'tap.tls.capture': WORKER,
  'tap.nodeIp': WORKER,
  'tap.probePort': WORKER,
  'tap.node': WORKER,
  'hub.host': PORT,
  'hub.port': PORT,
  'hub.url': WORKER,
  'hub.link': PORT,
  'hub.standby': STATE,
  'hub.state': STATE,
  'hub.stateKeyFile': STATE,
  'hub.takeOverAfter': STATE,
  data: 'the data folder is locked at the start',
}

/** Why a change of this key needs a restart; undefined if the hub applies it at once. */
export function restartReason(path: string): string | undefined {
  const key = Object.keys(restartKeys).find((one) => isKeyBelow(path, one))
  return key === undefined ? undefined : restartKeys[key]
}

/** The keys that a process reads at its start only. */
export function restartKeysOf(part: Part): readonly string[] {
  return Object.entries(restartKeys)
    .filter(([, reason]) => (parts[reason] ?? ['hub', 'worker']).includes(part))
    .map(([key]) => key)
}

/** Whether a key is this prefix, or below it. */
export function isKeyBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`)
}
