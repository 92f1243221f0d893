import { z } from 'zod'
import { endpoint } from './endpoint-shape.ts'
import { gap } from './gap-shapes.ts'
import { instant } from './instant.ts'
import { excludedNodes, indexing, liveNotes, missingNodes } from './live-shapes.ts'
import { indexQueue, workerProcess } from './node-shapes.ts'
import { snapshotPlace } from './snapshot-place.ts'
import { whyEmpty } from './why-empty.ts'

export { flowPage, flowSummary } from './flow-shapes.ts'
export { diffPage, statsPage } from './group-shapes.ts'
export { incomplete, indexing, notStreamed } from './live-shapes.ts'
export { whyEmpty }

/** Shapes of answers, as the contract gives them. */
const nullableTime = z.number().nullable()

export const success = z.object({ success: z.boolean(), name: z.string().optional() })

export const loss = z
  .record(z.string(), z.number())
  .describe('What was lost or damaged, by kind; a missing key means nothing')

const gaps = z.array(gap).describe('Times of which nothing was recorded, and why; oldest first')

const drops = z.object({ kernel: z.number(), queue: z.number(), disk: z.number() })

export const boundaries = z.object({
  cluster: z.object({ oldest_ts: nullableTime, newest_ts: nullableTime }),
  nodes: z.array(
    z.object({
      name: z.string(),
      oldest_ts: nullableTime,
      newest_ts: nullableTime,
      oldest_at: instant.nullable(),
      newest_at: instant.nullable(),
      size_bytes: z.number(),
      packet_count: z.number(),
      dropped_packets: z.number(),
      drops: drops.describe('`dropped_packets` by where they were lost'),
      gaps: gaps.optional(),
    }),
  ),
  missing_nodes: missingNodes,
  excluded_nodes: excludedNodes,
})

export const snapshotStatus = z.enum(['pending', 'in_progress', 'completed', 'failed'])

export const snapshot = z.object({
  name: z.string(),
  status: snapshotStatus,
  progress: z.number().describe('0 to 100'),
  size_bytes: z.number(),
  node_count: z.number().describe('Nodes that hold a part of the window; those that failed are in `nodes`'),
  packet_count: z.number(),
  duration: z.string(),
  start_ts: nullableTime,
  end_ts: nullableTime,
  created_at: instant,
  partial: z
    .boolean()
    .describe(
      'The window holds times that were not recorded (`gaps`), a node could not give its part, or a node of the cluster had no connected worker (`missing_nodes`)',
    ),
  gaps: gaps.optional(),
  missing_nodes: missingNodes,
  losses: z
    .array(
      z.object({
        node: z.string(),
        from_ts: z.number(),
        to_ts: z.number(),
        kernel_drops: z.number().optional(),
        disk_drops: z.number().optional(),
      }),
    )
    .optional()
    .describe('Times in which packets were dropped, as far as they are known, oldest first'),
  verified: z
    .boolean()
    .describe(
      'Completed, all bytes on disk and with a checksum, which is taken afterwards where nothing was copied',
    ),
  nodes: z.array(
    z.object({
      name: z.string(),
      status: snapshotStatus,
      size_bytes: z.number(),
      packet_count: z.number(),
      dropped_packets: z.number(),
      drops: drops.optional().describe('`dropped_packets` by where they were lost'),
      error: z.string().optional(),
      upload_error: z
        .string()
        .optional()
        .describe('Why this node did not upload its packets to the object storage itself; the hub does it'),
    }),
  ),
  events: z.object({ cluster: z.number(), os: z.number() }),
  error: z.string().optional(),
  restarts: z.number().optional().describe('How often it was begun again after the hub had ended meanwhile'),
  source: z.enum(['recording', 'import']).describe('Taken out of recordings, or brought as files'),
  tags: z.array(z.string()),
  notes: z.string(),
  ...snapshotPlace,
})

export const dissectionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])

export const dissection = z.object({
  snapshot_name: z.string(),
  dissection_name: z.string(),
  status: dissectionStatus,
  progress: z.number().describe('0 to 100'),
  call_count: z.number(),
  flow_count: z.number(),
  packet_count: z.number(),
  bytes: z.number(),
  protocol_counts: z.record(z.string(), z.number()),
  loss,
  gaps: gaps.optional().describe('Of its snapshot: times of which nothing was recorded, and why'),
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  errors: z.array(z.string()),
  waiting_for: z
    .string()
    .optional()
    .describe('Why a dissection that runs as a Kubernetes Job does not go on at the moment'),
})

export const event = z.looseObject({
  ts: z.number().describe('Unix milliseconds'),
  kind: z.enum(['cluster', 'os']),
  type: z.string(),
  node: z.string().optional(),
})

export const call = z.looseObject({
  id: z.string(),
  ts: z.number(),
  src: endpoint.loose(),
  dst: endpoint.loose(),
  proto: z.string(),
  method: z.string().optional(),
  path: z.string().optional(),
  status: z.union([z.number(), z.string()]).optional(),
  latency_ms: z.number().optional(),
  error: z.string().optional(),
  connection_end: z
    .string()
    .optional()
    .describe(
      'Of no_response: closed_by_server, closed_by_client (FIN), reset_by_server or reset_by_client (RST)',
    ),
  delivery: z
    .literal('unacknowledged')
    .optional()
    .describe(
      'The response was never acknowledged: its client may not have got it. Known some time after the call',
    ),
  decrypted: z.boolean().optional().describe('The call was sent encrypted; `tls` describes its connection'),
  payload_missing: z
    .boolean()
    .optional()
    .describe(
      'The index has no head and body of the call: the disk was full, or a crash took them. That is no error of the call; db=recording may have them',
    ),
  timeline: z
    .array(
      z.object({
        ts: z.number(),
        what: z
          .string()
          .describe('`request`, `first_byte`, `response` (its last byte), or the type of an event'),
        who: z.string().optional().describe('Of an event: the process, pod, service or node'),
      }),
    )
    .optional()
    .describe('Of one call: its moments and events in order of time'),
  both_ends: z
    .object({
      client_node: z.string(),
      server_node: z.string(),
      client_ms: z.number().describe('How long it took, as seen on the node of the client'),
      server_ms: z.number().describe('The same on the node of the server'),
      network_ms: z.number().describe('The difference: time between the two nodes'),
      other_id: z.string().describe('The id that the call has on the other node'),
      clock_difference_ms: z.number().describe('When the other node saw its first byte, after this one'),
    })
    .optional()
    .describe('Of one call that the nodes of both ends have recorded: network time and server time'),
  events: z
    .array(event)
    .optional()
    .describe('Of one call: what happened to its pods and processes at about that time'),
})

const nextCursor = z.string().nullable().describe('Give it as `cursor` for the next page; null at the end')

export const eventPage = z.object({
  events: z.array(event),
  total: z.number(),
  truncated: z.boolean(),
  next_cursor: nextCursor,
  unavailable: z
    .array(z.object({ node: z.string(), reason: z.string() }))
    .optional()
    .describe('Nodes whose events are missing, or only some of which could be recorded, and why'),
  missing_nodes: missingNodes,
  why_empty: z.string().optional().describe('Why there is none, and what to ask instead'),
})

const rewind = z
  .object({
    read_bytes: z.number().describe('What had to be read of the recording for this answer'),
    window_bytes: z.number().describe('All that is recorded in the window'),
    packets: z.number().describe('Packets that were dissected'),
    elapsed_ms: z.number().describe('Of the slowest node'),
    searched_from: instant.nullable().describe('All calls from here …'),
    searched_to: instant.nullable().describe('… to here were looked at, on all nodes'),
  })
  .describe(
    'Only with db=recording, and not for roles narrowed to namespaces: what the answer cost, and how far it reaches',
  )

export const callPage = z.object({
  calls: z.array(call),
  total: z.number(),
  total_is: z.enum(['exact', 'at_least', 'estimate']),
  truncated: z.boolean(),
  next_cursor: nextCursor,
  rewind: rewind.optional(),
  ...liveNotes,
  why_empty: whyEmpty.optional(),
})

export const switchState = indexing.extend({
  since: instant,
  by: z.string().describe('Who changed it last'),
  reason: z.string(),
  stop_after: z.string(),
  idle_since: instant.nullable(),
  pauses_at: instant.nullable(),
  ended_pause: z
    .object({ at: instant, by: z.string() })
    .optional()
    .describe('A pause by a user that ended because the hub started. Left out after the next change.'),
  activity: z.object({ dashboards: z.number(), recordings: z.number(), agents: z.number() }),
})

export const switchChange = z.object({
  at: instant,
  enabled: z.boolean(),
  by: z.string(),
  door: z.string(),
  reason: z.string(),
})

export const whoami = z.object({
  name: z.string(),
  role: z.string(),
  capabilities: z.array(z.string()),
  namespaces: z.union([z.literal('*'), z.array(z.string())]),
  auth: z.object({ enabled: z.boolean(), kind: z.string() }),
})

export const nodeReport = z.object({
  name: z.string(),
  connected: z.boolean(),
  version: z.string(),
  indexing: z.boolean(),
  capture: z.object({
    active: z.boolean(),
    reason: z.string().optional(),
    interfaces: z.array(z.string()),
    pod_loopback: z
      .object({ namespaces: z.number(), refused: z.number(), reason: z.string().optional() })
      .optional()
      .describe(
        'Set with tap.capture.podLoopback or tap.capture.podInterfaces: how many network namespaces of pods are captured, and how many are not',
      ),
  }),
  recorder: z
    .object({ recording: z.boolean(), reason: z.string().optional() })
    .optional()
    .describe('Whether packets get to disk now; where not, why'),
  indexer: z
    .object({ paused: z.literal(true), reason: z.string() })
    .optional()
    .describe('Set while the node does not index although the switch is on, with the reason'),
  not_saved: z
    .array(z.object({ what: z.string(), reason: z.string() }))
    .optional()
    .describe(
      'Files about missing data that the node cannot write: after a restart, answers would not know of it',
    ),
  packets_captured: z.number(),
  packets_dissected: z.number(),
  calls: z.number(),
  duplicates: z
    .object({ packets: z.number(), calls: z.number() })
    .optional()
    .describe('Packets and calls that were seen several times on the node, and are kept once'),
  duplicate_captures: z
    .number()
    .optional()
    .describe(
      'Packets that the node captured more than once (on several devices, inside and outside of a tunnel) and that count once',
    ),
  unnamed_calls: z
    .number()
    .optional()
    .describe('Calls indexed without the name of a pod, because it did not arrive in time'),
  undecided_ownership: z
    .number()
    .optional()
    .describe('Calls that another node may report as well, because the nodes of their ends were not known'),
  backfill: z
    .object({
      running: z.boolean(),
      from_ts: z.number(),
      to_ts: z.number(),
      calls: z.number(),
      packets: z.number(),
    })
    .optional()
    .describe('What was recorded before indexing was turned on, as far as it has been indexed since'),
  process: workerProcess,
  index_queue: indexQueue,
  loss,
  tls_keys: z
    .object({
      reason: z.string().optional().describe('Why there are no keys, or fewer than there could be'),
      secrets: z.number().describe('Secrets taken; a handshake of TLS 1.3 has four, of TLS 1.2 one'),
      bad_lines: z.number().describe('Lines of key log files that could not be read'),
      files: z.number().describe('Key log files that are followed now'),
      probes: z.number().describe('Probes that are attached now'),
      hits: z.number().describe('Times that a probe was hit'),
      hits_per_second: z.number(),
      missed: z.number().describe('Secrets that were lost, or could not be read in the process'),
      learning_failures: z.number().describe('Files of a TLS library whose secrets could not be located'),
      over_budget: z
        .number()
        .describe(
          'Times that probes were removed, because a process exceeded tap.tls.capture.maxHitsPerSecond',
        ),
      log: z
        .object({
          bytes: z.number(),
          held: z.number().describe('Secrets in memory'),
          written: z.number(),
          waiting: z.number().describe('Secrets that wait for the key of the hub or for the disk'),
          refused: z.number().describe('Secrets that could not be written'),
          locked: z.number().describe('Stored records that no key of the hub opens'),
          damaged: z.number(),
          evicted: z.number().describe('Files deleted before their packets, because the log was full'),
        })
        .describe('The sealed log on the disk of the node'),
    })
    .optional()
    .describe(
      'Set with tap.tls.capture.enabled: how keys are collected. Counts only; left out for roles with namespaces',
    ),
})

export * from './watch-shapes.ts'
