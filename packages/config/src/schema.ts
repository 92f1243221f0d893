import { z } from 'zod'
import { durationOrZero, size } from './notation.ts'

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

const capture = z.strictObject({
  dissection: dissection.prefault({}),
  raw: raw.prefault({}),
  dbMaxSize: size
    .default('500Mi')
    .describe('Size of the live index of each node; whole chunks of the oldest calls are dropped above it.'),
  interfaces: z
    .array(z.string().min(1).max(15))
    .min(1)
    .default(['any'])
    .describe('Network interfaces to capture on: names, or `any` for all that are up.'),
  snapLength: z.number().int().min(64).max(262_144).default(262_144).describe('Bytes kept of each packet.'),
  bufferSize: size.default('64Mi').describe('Kernel ring buffer shared with the capture thread.'),
  captureSelf: z.boolean().default(false).describe("Whether Tapdeck's own traffic is captured too."),
})

/** The same names as in the api's matrix of roles, from which this package may not read. */
export const acceptedRoles = ['svc-admin', 'svc-realtime', 'svc-snapshot', 'svc-viewer'] as const

const auth = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether callers are identified. Without it every caller has the default role.'),
  defaultRole: z
    .enum(acceptedRoles)
    .default('svc-admin')
    .describe('Role of every caller while callers are not identified.'),
})

const snapshots = z.strictObject({
  local: z
    .strictObject({
      storageSize: size.default('20Gi').describe('Room for all snapshots and their dissections on the hub.'),
    })
    .prefault({}),
})

const delayedDissection = z.strictObject({
  parallel: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Dissection jobs that run at the same time; others wait.'),
})

const tap = z.strictObject({
  capture: capture.prefault({}),
  snapshots: snapshots.prefault({}),
  delayedDissection: delayedDissection.prefault({}),
  auth: auth.prefault({}),
  regex: z.string().default('.*').describe('Only pods whose name matches are indexed.'),
  namespaces: z
    .array(z.string())
    .default([])
    .describe('Only pods of these namespaces are indexed; empty means all.'),
  excludedNamespaces: z.array(z.string()).default([]).describe('Pods of these namespaces are not indexed.'),
  bpfOverride: z.string().default('').describe('A BPF expression that replaces the other capture filters.'),
  inventory: z
    .string()
    .default('')
    .describe('A file that names addresses as pods and services where no cluster feeds them.'),
  node: z.string().max(253).default('').describe("This node's name; empty means the host name."),
})

export const configSchema = z.strictObject({
  tap: tap.prefault({}),
  hub: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address the hub listens on.'),
      port: z.number().int().min(0).max(65_535).default(8898).describe('Port of the dashboard and the API.'),
      url: z.string().default('').describe('Where workers find the hub; empty means host and port above.'),
    })
    .prefault({}),
  data: z.string().min(1).default('data').describe('Folder for recordings, snapshots and indexes.'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('How much is logged.'),
})

export type Config = z.output<typeof configSchema>
