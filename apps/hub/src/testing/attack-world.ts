import { type Capability, capabilities, type RoleName, roles } from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { type FakeWorker, idleReport } from './fake-worker.ts'
import { giveToken } from './give-token.ts'
import { captureFile, httpPackets } from './http-capture.ts'
import { IndexWorker } from './index-worker.ts'
import { credential, startHub, type TestHub, until } from './start-hub.ts'

/** A text that is only in traffic, names and things outside the namespace `shop`. */
export const MARK = 'hush4711'

/** A value that is only in filters that others keep. */
export const SEALED = 'sealed4711'
/** Such a filter. A role that sees redacted calls may not use it. */
export const KEPT_FILTER = `request.headers["authorization"] == "${SEALED}"`
/** Actions of an agent, one with a filter of its own. */
export const keptActions = [
  { kind: 'log' },
  { kind: 'recording', do: 'start', recording: 'more', kfl: KEPT_FILTER },
]

/** A dissection of the calls that match it: none. */
export const keptDatabase = 'kept/filtered'

/** A caller that tries everything. */
export interface Attacker {
  /** What it holds; undefined: it is not known, and gets 401. */
  readonly held?: readonly Capability[]
  /** Its role is narrowed to the namespace `shop`. */
  readonly isNarrow?: boolean
  /** Its role sees redacted calls. */
  readonly isRedacted?: boolean
  /** It comes by a cookie: from a page of ours, of another site, or without saying from where. */
  readonly page?: 'own' | 'foreign' | 'silent'
}

/** `mcp:use` and `access:manage` cannot be given to roles of the configuration. */
const grantable = capabilities.filter((one) => one !== 'mcp:use' && one !== 'access:manage')
const builtIn = Object.keys(roles) as RoleName[]

/** THE list of those who attack, by name. */
export const attackers: Readonly<Record<string, Attacker>> = {
  ...Object.fromEntries(builtIn.map((role) => [role, { held: roles[role] }])),
  team: { held: grantable, isNarrow: true },
  veiled: { held: grantable, isRedacted: true },
  nothing: { held: [] },
  'no credential': {},
  'a guessed token': {},
  'a guessed cookie': {},
  'a worker credential': {},
  'the secret of the workers': {},
  'the page of an admin': { held: capabilities, page: 'own' },
  'a foreign page with the cookie of an admin': { held: capabilities, page: 'foreign' },
  'the cookie of an admin alone': { held: capabilities, page: 'silent' },
}

export interface AttackWorld {
  readonly hub: TestHub
  readonly worker: FakeWorker
  readonly capture: Buffer
  /** The id of a call outside `shop`. */
  readonly hiddenCall: string
  headers(attacker: string): Record<string, string>
  /** Makes the things named `thing` that are not there any more, with filters that are kept. */
  plant(): Promise<void>
  stop(): Promise<void>
}

/** A hub that listens, with a node, a snapshot, a recording, an agent and names, in `shop` and outside of it. */
export async function attackWorld(thread: URL): Promise<AttackWorld> {
  const list = grantable.join(',')
  const hub = await startHub({
    thread,
    set: [
      'tap.auth.enabled=true',
      `tap.auth.roles.team.capabilities={${list}}`,
      'tap.auth.roles.team.namespaces={shop}',
      `tap.auth.roles.veiled.capabilities={${list}}`,
      'tap.redaction.byRole.veiled.bodies=true',
      'tap.auth.roles.nothing.capabilities={}',
    ],
  })
  const index = await IndexWorker.open('n1')
  const at = Date.now() - 60_000
  await index.add([
    { at, service: 'orders', path: '/orders' },
    { at: at + 10, service: `vault-${MARK}`, path: `/${MARK}`, ns: 'secret' },
  ])
  hub.services.directory.set('test', {
    pods: [
      { name: 'cart-1', namespace: 'shop', ips: ['10.1.0.1'] },
      { name: `spy-${MARK}`, namespace: 'secret', ips: ['10.9.0.1'] },
    ],
    services: [{ name: `vault-${MARK}`, namespace: 'secret', ips: ['10.9.0.2'] }],
  })
  const worker = await hub.worker('n1', answersOf(index), idleReport)
  const admin = giveToken(hub.folder, 'svc-admin')
  const capture = captureFile(httpPackets({ requests: 1, mark: MARK }))
  await hub.send('POST', `/api/snapshots/${MARK}/import?node=n1`, capture, admin.headers)
  const keep = async (name: string) => {
    const start = Date.now() + 3_600_000
    const agent = { name, kfl: KEPT_FILTER, enabled: false, actions: keptActions }
    await hub.send('POST', '/api/recordings', { name, kfl: KEPT_FILTER, start }, admin.headers)
    await hub.send('POST', '/api/agents', agent, admin.headers)
    await hub.send('PUT', `/api/saved-filters/${name}`, { kfl: KEPT_FILTER }, admin.headers)
  }
  await keep(MARK)
  // Roles with namespaces may know its name.
  const [snapshot_name, dissection_name] = keptDatabase.split('/')
  await hub.send('POST', `/api/snapshots/${snapshot_name}/import?node=n1`, capture, admin.headers)
  const dissection = { snapshot_name, dissection_name, kfl: KEPT_FILTER }
  await hub.send('POST', '/api/dissections', dissection, admin.headers)
  await until(
    () => hub.get(`/api/dissections/${keptDatabase}`, admin.headers),
    ({ json: seen }) => seen.status === 'completed',
  )
  const { json } = await until(
    () => hub.get(`/api/calls?kfl=${encodeURIComponent('dst.ns == "secret"')}`, admin.headers),
    ({ json: seen }) => seen.calls?.length > 0,
  )
  const headers = await headersOf(hub, admin)
  return {
    hub,
    worker,
    capture,
    hiddenCall: json.calls[0].id,
    plant: () => keep('thing'),
    headers: (attacker) => headers[attacker] ?? giveToken(hub.folder, attacker).headers,
    async stop() {
      await hub.stop()
      await index.close()
    },
  }
}

function answersOf(index: IndexWorker): IndexWorker['answers'] {
  const cost = { read_bytes: 1, window_bytes: 1, packets: 1, elapsed_ms: 1, searched_from: 1, searched_to: 2 }
  const { calls, call } = index.answers
  const event = { ts: Date.now(), kind: 'os', type: 'process_start', node: 'n1', pid: 1, comm: MARK }
  return {
    ...index.answers,
    events: () => ({ events: [event], total: 1, more: false, cmdline_hidden: true }),
    async rewind({ start: _start, end: _end, max_ms: _ms, max_bytes: _bytes, ...input }, ...rest) {
      const page = await calls!(input, ...rest)
      const rewind = { ...cost, calls: 1, by_protocol: {}, restricted: false }
      return { ...page, spent: false, rewind }
    },
    rewind_call: async ({ id }, ...rest) => ({ ...(await call!({ id }, ...rest)), complete: true }),
  }
}

async function headersOf(
  hub: TestHub,
  admin: { readonly token: string },
): Promise<Record<string, Record<string, string>>> {
  const own = { 'sec-fetch-site': 'same-origin' }
  const login = await hub.send('POST', '/auth/session', { token: admin.token }, own)
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const tokens = Object.keys(attackers).filter((name) => name.startsWith('svc-'))
  return {
    ...Object.fromEntries(
      [...tokens, 'team', 'veiled', 'nothing'].map((role) => [role, giveToken(hub.folder, role).headers]),
    ),
    'no credential': {},
    'a guessed token': { authorization: 'Bearer guess' },
    'a guessed cookie': { cookie: 'tapdeck_session=guess' },
    'a worker credential': { authorization: `Bearer ${workerCredential(credential, 'n1')}` },
    'the secret of the workers': { authorization: `Bearer ${credential}` },
    'the page of an admin': { cookie, ...own },
    'a foreign page with the cookie of an admin': {
      cookie,
      origin: 'http://evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
    },
    'the cookie of an admin alone': { cookie },
  }
}
