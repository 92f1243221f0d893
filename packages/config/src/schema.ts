import { z } from 'zod'
import { parseSize } from './amount.ts'
import { auth } from './auth-schema.ts'
import { bpfExpression, duration, durationOrZero, pattern, size } from './notation.ts'

/** Captured packets are addressed by 32 bits, with what lies beside them. */
const MOST_BUFFER = 1024 ** 3

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
    .describe('Inactivity after which indexing pauses by itself; 0 disables the timeout.'),
  backfill: durationOrZero
    .default('5m')
    .describe('How much of the recording is indexed in the background when indexing is turned on; 0: none.'),
  mcpCountsAsActivity: z
    .boolean()
    .default(false)
    .describe('Whether an AI assistant that uses the /mcp surface counts as activity.'),
  bodyBytes: size.default('64Ki').describe('How much of each request and response body is kept.'),
})

const raw = z.strictObject({
  enabled: z.boolean().default(true).describe('Record packets into the ring, whether or not indexing is on.'),
  storageSize: size
    .default('1Gi')
    .describe('Size of the recording ring of each node; the oldest packets make room for the newest.'),
})

const events = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Record what processes do and which connections they own, where the kernel allows it.'),
  storageSize: size
    .default('64Mi')
    .describe('Size of the event log of each node, and of the one of the cluster on the hub.'),
})

const rewind = z.strictObject({
  maxTime: duration
    .default('5s')
    .describe('How long one answer out of the recording (db=recording) may take; it goes on by its cursor.'),
  maxBytes: size.default('1Gi').describe('How much of the recording one such answer may read.'),
})

const capture = z.strictObject({
  dissection: dissection.prefault({}),
  raw: raw.prefault({}),
  events: events.prefault({}),
  rewind: rewind.prefault({}),
  dbMaxSize: size
    .default('500Mi')
    .describe('Size of the live index of each node; whole chunks of the oldest calls are dropped above it.'),
  interfaces: z
    .array(z.string().min(1).max(15))
    .min(1)
    .default(['any'])
    .describe('Network interfaces to capture on: names, or `any` for all that are up.'),
  snapLength: z.number().int().min(64).max(262_144).default(262_144).describe('Bytes kept of each packet.'),
  bufferSize: size
    .refine((value) => (parseSize(String(value)) ?? 0) <= MOST_BUFFER)
    .meta({ accepts: 'a size such as 64Mi or a number of bytes, at most 1Gi' })
    .default('32Mi')
    .describe('Kernel ring buffer shared with the capture thread; 16Mi at least.'),
  captureSelf: z
    .boolean()
    .default(false)
    .describe(
      "Whether Tapdeck's own traffic is captured too; otherwise nothing with the hub's port is, but for clients of servers on ports below 1024.",
    ),
})

const names = z.array(z.string().min(1).max(256)).max(256).default([])

const redactionRules = {
  headers: names.describe('Headers whose values are starred out; names in any case.'),
  query: names.describe('Query and form parameters whose values are starred out; names in any case.'),
  json: names.describe('Paths into JSON bodies, such as `user.password`, `items[*].card` or `**.token`.'),
  sqlLiterals: z
    .boolean()
    .default(false)
    .describe('Star out literals in SQL statements, and leave out the parameters bound to them.'),
  detect: z
    .array(z.enum(['card', 'bearer', 'jwt']))
    .default([])
    .describe('Star out, wherever they stand: card numbers (checked by Luhn), bearer tokens, JWTs.'),
  patterns: names.describe('Regular expressions (RE2); what matches is starred out wherever it stands.'),
  bodies: z.boolean().default(false).describe('Keep no bodies at all.'),
}

const redaction = z.strictObject({
  ...redactionRules,
  byRole: z
    .record(z.string().max(64), z.strictObject(redactionRules))
    .default({})
    .describe(
      'The same rules for what callers of a role are shown, on top of what is kept: role name → rules. Such a role gets no pcap and may not filter by payloads.',
    ),
})

const snapshots = z.strictObject({
  local: z
    .strictObject({
      storageSize: size.default('20Gi').describe('Room for all snapshots and their dissections on the hub.'),
      retention: z
        .strictObject({
          maxAge: durationOrZero
            .default('0')
            .describe('Snapshots older than this are removed, unless tagged keep or at work; 0 keeps them.'),
          maxSize: size
            .default('0')
            .describe('Above this, the oldest snapshots are removed with their dissections; 0 removes none.'),
        })
        .prefault({}),
    })
    .prefault({}),
  importFolder: z
    .string()
    .default('')
    .describe('A folder on the hub that captures may be imported from by their path in it; empty: none may.'),
})

const delayedDissection = z.strictObject({
  parallel: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Dissection jobs that run at the same time; others wait.'),
  threads: z
    .number()
    .int()
    .min(0)
    .max(64)
    .default(0)
    .describe(
      'Threads that share a large capture of one job, at low priority, each with an index of its own until the end; 0: one a core, up to 8.',
    ),
  maxTime: durationOrZero
    .default('0')
    .describe('A job that runs longer is ended as failed; 0 lets it take its time.'),
})

const tls = z
  .strictObject({
    cert: z
      .string()
      .default('')
      .describe('Certificate chain of the hub in PEM; with a key the hub speaks only TLS.'),
    key: z
      .string()
      .default('')
      .describe('Its private key in PEM. Both files are read again when they change.'),
    ca: z
      .string()
      .default('')
      .describe("The only authority by which workers know the hub, in PEM; empty: the system's."),
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

const tap = z.strictObject({
  capture: capture.prefault({}),
  snapshots: snapshots.prefault({}),
  delayedDissection: delayedDissection.prefault({}),
  auth: auth.prefault({}),
  redaction: redaction.prefault({}),
  tls: tls.prefault({}),
  regex: pattern.default('.*').describe('Only pods whose name matches are indexed.'),
  namespaces: z
    .array(z.string())
    .default([])
    .describe('Only pods of these namespaces are indexed; empty means all.'),
  excludedNamespaces: z.array(z.string()).default([]).describe('Pods of these namespaces are not indexed.'),
  bpfOverride: bpfExpression
    .default('')
    .describe('A BPF expression (pcap-filter): only packets that match are captured and recorded at all.'),
  inventory: z
    .string()
    .default('')
    .describe('A file that names addresses as pods and services where no cluster feeds them.'),
  nodeIp: z
    .union([z.literal(''), z.ipv4(), z.ipv6()])
    .default('')
    .describe("This node's address; empty means the first one of the machine that is no loopback."),
  node: z.string().max(253).default('').describe("This node's name; empty means the host name."),
})

export const configSchema = z.strictObject({
  tap: tap.prefault({}),
  hub: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address the hub listens on.'),
      port: z.number().int().min(0).max(65_535).default(8898).describe('Port of the dashboard and the API.'),
      url: z.string().default('').describe('Where workers find the hub; empty means host and port above.'),
      publicUrl: z
        .union([z.literal(''), z.url({ protocol: /^https?$/ })])
        .default('')
        .describe('The address that browsers use, where it is another than host and port above.')
        .meta({ accepts: 'an http or https address' }),
      allowedHosts: z
        .array(z.string().min(1).max(253))
        .default([])
        .describe('More names that requests may come by where the hub listens on a local address.'),
      queriesAtOnce: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(32)
        .describe('Questions about data that one caller may have under way; more wait for their turn.'),
    })
    .prefault({}),
  data: z.string().min(1).default('data').describe('Folder for recordings, snapshots and indexes.'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('How much is logged.'),
})

export type Config = z.output<typeof configSchema>
