import { parseSize } from '@tapdeck/units'
import { z } from 'zod'
import { auth } from './auth-schema.ts'
import { delayedDissection } from './delayed-dissection-schema.ts'
import { hub } from './hub-schema.ts'
import { index } from './index-schema.ts'
import { kubernetes } from './kubernetes-schema.ts'
import { bpfExpression, duration, durationOrZero, pattern, ports, size } from './notation.ts'

/** Captured packets are addressed by 32 bits, with what lies beside them. */
const MAX_BUFFER = 1024 ** 3

/**
 * THE configuration tree: the same in values files, in `--set`, in the Helm chart and in the docs, which are made from
 * the descriptions here. Every object is strict: an unknown key stops the start.
 */
const dissection = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Start with real-time L7 indexing active; false starts dormant, ready to be turned on.'),
  stopAfter: durationOrZero
    .default('5m')
    .describe('Time without activity after which indexing pauses; 0: never.'),
  backfill: durationOrZero
    .default('5m')
    .describe('How much of the recording is indexed in the background when indexing is turned on; 0: none.'),
  mcpCountsAsActivity: z
    .boolean()
    .default(false)
    .describe('Whether an AI assistant that uses the /mcp surface counts as activity.'),
  bodyBytes: size.default('64Ki').describe('Bytes of each request and response body that are stored.'),
})

const raw = z.strictObject({
  enabled: z.boolean().default(true).describe('Record packets into the ring, whether or not indexing is on.'),
  storageSize: size
    .default('1Gi')
    .describe('Size of the recording ring of each node; the oldest packets are deleted first.'),
})

const events = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Record what processes do and which connections they own, where the kernel allows it.'),
  storageSize: size
    .default('64Mi')
    .describe('Size of the event log of each node, and of the cluster events on the hub.'),
})

const rewind = z.strictObject({
  maxTime: duration
    .default('5s')
    .describe('Maximum time of one answer from the recording (db=recording); the cursor continues it.'),
  maxBytes: size.default('1Gi').describe('Maximum bytes of the recording that one such answer reads.'),
})

const capture = z.strictObject({
  dissection: dissection.prefault({}),
  raw: raw.prefault({}),
  events: events.prefault({}),
  rewind: rewind.prefault({}),
  dbMaxSize: size
    .default('500Mi')
    .describe('Size of the live index of each node; above it, whole chunks of the oldest calls are deleted.'),
  interfaces: z
    .array(z.string().min(1).max(15))
    .min(1)
    .default(['any'])
    .describe('Network interfaces to capture on: names, or `any` for all that are up.'),
  snapLength: z
    .number()
    .int()
    .min(64)
    .max(262_144)
    .default(262_144)
    .describe('Bytes of each packet that are recorded.'),
  bufferSize: size
    .refine((value) => (parseSize(String(value)) ?? 0) <= MAX_BUFFER)
    .meta({ accepts: 'a size such as 128Mi or a number of bytes, at most 1Gi' })
    .default('64Mi')
    .describe(
      'Size of the kernel ring buffer; at least 16Mi. 64Mi holds the packets of two seconds in which the worker gets no processor, at rates up to 32 MB/s.',
    ),
  podLoopback: z
    .boolean()
    .default(false)
    .describe(
      'Capture on the loopback interface of each pod (or container) of the node too, such as traffic between a sidecar and its application. Needs CAP_SYS_ADMIN to enter the network namespaces of pods.',
    ),
  podInterfaces: z
    .boolean()
    .default(false)
    .describe(
      'Capture on the other interfaces of each pod too, for pod networks whose packets no interface of the node shows, such as SR-IOV, macvlan or netkit. Needs CAP_SYS_ADMIN. Leave it off where the node shows them: calls to Service addresses may lack the pod that answered, or be there twice.',
    ),
  captureSelf: z
    .boolean()
    .default(false)
    .describe(
      "Capture Tapdeck's own traffic too. If false, TCP with the port of the hub is left out, except to and from ports below 1024, and so are connections from tap.capture.ownPorts where they are used.",
    ),
  ownPorts: ports
    .default('28864-28927')
    .describe(
      'Source ports of the connections that Tapdeck opens to object storage, ClickHouse and OpenTelemetry. Workers whose configuration has one of these leave TCP between such ports and ports below 32768 out; empty: any port, and workers record this traffic.',
    ),
})

const names = z.array(z.string().min(1).max(256)).max(256).default([])

const redactionRules = {
  headers: names.describe('Headers whose values are replaced by `*`; names in any case.'),
  query: names.describe('Query and form parameters whose values are replaced by `*`; names in any case.'),
  json: names.describe('Paths into JSON bodies, such as `user.password`, `items[*].card` or `**.token`.'),
  sqlLiterals: z
    .boolean()
    .default(false)
    .describe('Replace literals in SQL statements by `*`, and leave out bound parameters.'),
  detect: z
    .array(z.enum(['card', 'bearer', 'jwt']))
    .default([])
    .describe('Replace by `*` everywhere: card numbers (checked by Luhn), bearer tokens, JWTs.'),
  patterns: names.describe('Regular expressions (RE2); every match is replaced by `*`.'),
  bodies: z.boolean().default(false).describe('Store no bodies.'),
}

const redaction = z.strictObject({
  credentials: z
    .enum(['mask', 'keep'])
    .default('mask')
    .describe(
      'Whether calls are stored and shown with short hashes instead of the values of credentials: authorization headers, cookies, API keys, keys in addresses and forms, passwords in statements. Packets stay as they are.',
    ),
  ...redactionRules,
  byRole: z
    .record(z.string().max(64), z.strictObject(redactionRules))
    .default({})
    .describe(
      'Additional rules for what callers of a role get: role name → rules. Such a role gets no pcap and may not filter by payloads.',
    ),
})

const s3 = z.strictObject({
  bucket: z
    .string()
    .max(255)
    .default('')
    .describe('The bucket for snapshots. It must exist. Needed if tap.snapshots.storage is s3.'),
  prefix: z
    .string()
    .max(512)
    .regex(/^([\w.-]+\/)*$/)
    .default('tapdeck/')
    .describe('Keys in the bucket begin with this; empty, or it ends with "/".')
    .meta({ accepts: 'names that each end with "/", such as tapdeck/' }),
  endpoint: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe('Address of an S3-compatible storage; empty: AWS.')
    .meta({ accepts: 'an http or https address' }),
  region: z.string().max(64).default('').describe('Region of the bucket; empty: as AWS_REGION says.'),
  pathStyle: z
    .boolean()
    .default(false)
    .describe('The bucket is named in the path, not in the host name, as most storages other than AWS need.'),
  encryption: z
    .enum(['', 'AES256', 'aws:kms'])
    .default('')
    .describe('Server-side encryption that the hub asks for; empty: what the bucket does by default.')
    .meta({ accepts: 'AES256, aws:kms, or empty' }),
  kmsKey: z.string().max(2048).default('').describe('The key for aws:kms; empty: that of the account.'),
  nodeUploads: z
    .boolean()
    .default(true)
    .describe(
      'Nodes upload their part of a snapshot themselves, with addresses that the hub signs. Where a node cannot, the hub does it.',
    ),
})

const snapshots = z.strictObject({
  storage: z
    .enum(['local', 's3'])
    .default('local')
    .describe('Where finished snapshots are: on the disk of the hub, or in a bucket of an object storage.'),
  s3: s3.prefault({}),
  local: z
    .strictObject({
      storageSize: size
        .default('20Gi')
        .describe('Maximum size of all snapshots and their dissections on the hub.'),
      retention: z
        .strictObject({
          maxAge: durationOrZero
            .default('0')
            .describe(
              'Snapshots older than this are removed, except those in use or with the tag keep; 0: none.',
            ),
          maxSize: size
            .default('0')
            .describe('Above this size, the oldest snapshots are removed with their dissections; 0: none.'),
        })
        .prefault({}),
    })
    .prefault({}),
  importFolder: z
    .string()
    .default('')
    .describe('A folder on the hub from which captures may be imported by path; empty: none.'),
  returnWithin: durationOrZero
    .default('1m')
    .describe(
      'How long a snapshot waits for a node whose connection breaks during the transfer; 0: not at all.',
    ),
})

const tlsCapture = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Workers collect the keys of TLS connections, so that these can be opened. Off by default.'),
  storageSize: size.default('64Mi').describe('Disk space for the sealed TLS secrets of a node.'),
  sealingKeyFile: z
    .string()
    .max(4096)
    .default('')
    .describe(
      'Where the hub stores the keys that seal TLS secrets; empty: in its data folder. On another volume, a stolen data folder opens nothing.',
    ),
  keyLogFiles: z
    .array(z.string().min(1).max(4096))
    .max(100)
    .default([])
    .describe(
      'Key logs in NSS format (SSLKEYLOGFILE) that workers follow: files, or folders whose files are all followed.',
    ),
  processes: z
    .union([z.literal(''), pattern])
    .default('')
    .describe(
      'Keys are taken from processes of the machine itself (not of pods) whose name matches, with probes in the kernel; empty: none.',
    ),
  namespaces: z
    .array(z.string())
    .default([])
    .describe('Keys are taken from the processes of pods in these namespaces; empty: of no pod.'),
  regex: pattern.default('.*').describe('Of these pods, only those whose name matches.'),
  maxHitsPerSecond: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe(
      'Probe hits of one process per second above which the probes of its library are removed for a minute.',
    ),
})

const tls = z
  .strictObject({
    capture: tlsCapture.prefault({}),
    cert: z
      .string()
      .default('')
      .describe('Certificate chain of the hub in PEM; with a key the hub accepts only TLS.'),
    key: z
      .string()
      .default('')
      .describe('Its private key in PEM. Both files are read again when they change.'),
    ca: z
      .string()
      .default('')
      .describe(
        "The only certificate authority that workers trust for the hub, in PEM; empty: the system's.",
      ),
  })
  .superRefine(({ cert, key }, context) => {
    if ((cert === '') !== (key === ''))
      context.addIssue({
        code: 'custom',
        path: [cert === '' ? 'cert' : 'key'],
        input: '',
        params: { accepted: 'a file: a certificate and its key come together' },
      })
  })

const otlp = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('The hub sends live calls to an OpenTelemetry receiver, as spans and as metrics.'),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:4318')
    .describe('Address of the receiver (OTLP over HTTP, JSON), without /v1/traces and /v1/metrics.')
    .meta({ accepts: 'an http or https address' }),
  headers: z
    .record(z.string().min(1).max(256), z.string().max(4096))
    .default({})
    .describe('Headers of each request to it, such as a key of the receiver.'),
  caFile: z
    .string()
    .default('')
    .describe(
      "A file with the authority that signed the receiver's certificate (PEM); it then replaces the authorities of Node.js.",
    ),
  compression: z.enum(['none', 'gzip']).default('none').describe('How requests to the receiver are packed.'),
  kfl: z
    .string()
    .max(65_536)
    .default('')
    .describe('Only calls that match this filter are sent and counted; empty: all.'),
  maxSpansPerSecond: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(100)
    .describe('Spans that are sent in one second; more are dropped and counted. 0: metrics only.'),
  queueSize: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(2048)
    .describe('Spans that wait for the receiver; more are dropped and counted.'),
  metricsInterval: duration.default('60s').describe('How often metrics are sent.'),
})

const tap = z.strictObject({
  capture: capture.prefault({}),
  index: index.prefault({}),
  snapshots: snapshots.prefault({}),
  delayedDissection: delayedDissection.prefault({}),
  auth: auth.prefault({}),
  redaction: redaction.prefault({}),
  kubernetes: kubernetes.prefault({}),
  telemetry: z.strictObject({ otlp: otlp.prefault({}) }).prefault({}),
  tls: tls.prefault({}),
  regex: pattern.default('.*').describe('Only pods whose name matches are indexed.'),
  namespaces: z
    .array(z.string())
    .default([])
    .describe('Only pods of these namespaces are indexed; empty means all.'),
  excludedNamespaces: z.array(z.string()).default([]).describe('Pods of these namespaces are not indexed.'),
  bpfOverride: bpfExpression
    .default('')
    .describe('A BPF expression (pcap-filter): only packets that match are captured and recorded.'),
  inventory: z
    .string()
    .default('')
    .describe('A file with the names of pods and services by address, if no cluster provides them.'),
  nodeIp: z
    .union([z.literal(''), z.ipv4(), z.ipv6()])
    .default('')
    .describe('Address of this node; empty: the first address of the machine that is not loopback.'),
  probePort: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe(
      'Port on the loopback of the node at which a worker answers probes: /healthz, /startz, /readyz; 0: none.',
    ),
  node: z.string().max(253).default('').describe('Name of this node; empty: the host name.'),
})

export const configSchema = z.strictObject({
  tap: tap.prefault({}),
  hub: hub.prefault({}),
  data: z.string().min(1).default('data').describe('Folder for recordings, snapshots and indexes.'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('How much is logged.'),
})

export type Config = z.output<typeof configSchema>
