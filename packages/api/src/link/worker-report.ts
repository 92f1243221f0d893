import { count, list, reason, time, timeOrNull } from '@tapdeck/questions/message-values'
import { z } from 'zod'

/** Packets that are not in the recording, by where they were lost. */
export const packetDrops = z.object({ kernel: count, queue: count, disk: count })

/** What a node's ring holds. */
export const boundaries = z.object({
  oldest_ts: timeOrNull,
  newest_ts: timeOrNull,
  size_bytes: count,
  packet_count: count,
  dropped_packets: count,
  drops: packetDrops.exactOptional(),
})

const code = z.string().max(64)
const why = { reason: code, detail: reason.exactOptional() }

/** When something was stored, and when not. Times are Unix milliseconds. */
export const coverageReport = z.object({
  /** Everything up to here is stored, apart from the gaps. */
  until: time,
  /** Set while nothing is stored now. */
  off: z.object(why).exactOptional(),
  /** What is older was deleted to make space. */
  forgotten: time.exactOptional(),
  /** Oldest first; absent where they are those of the report before. `pending`: it is being filled out of the recording. */
  gaps: list(
    z.object({ from: time, to: time, ...why, pending: z.literal(true).exactOptional() }),
    1000,
  ).exactOptional(),
})

/** How the keys of TLS connections are collected on a node. Counters only grow, apart from those that say what there is now. */
const tlsKeysReport = z.object({
  /** Why there are no keys, or fewer than there could be. It may name processes and files. */
  reason: reason.exactOptional(),
  secrets: count,
  bad_lines: count,
  files: count,
  probes: count,
  hits: count,
  hits_per_second: count,
  missed: count,
  learning_failures: count,
  over_budget: count,
  /** The sealed log on the node's disk, and the secrets in memory. */
  log: z.object({
    bytes: count,
    held: count,
    written: count,
    waiting: count,
    refused: count,
    locked: count,
    damaged: count,
    evicted: count,
  }),
})

/** Sent by a worker on connect, and again every second. */
export const workerReport = z.object({
  indexing: z.boolean(),
  capture: z.object({
    active: z.boolean(),
    reason: reason.exactOptional(),
    interfaces: list(z.string().max(64), 4096),
    /** Set if the loopback of pods is to be captured: how many are, how many are not, and why. */
    pod_loopback: z
      .object({ namespaces: count, refused: count, reason: reason.exactOptional() })
      .exactOptional(),
  }),
  /** Addresses of the node's devices, so that those of tunnels and bridges have a name. */
  addresses: list(z.string().max(64), 256).exactOptional(),
  recording: boundaries,
  /** Whether packets get to disk now; where not, why. */
  recorder: z.object({ recording: z.boolean(), reason: reason.exactOptional() }).exactOptional(),
  /** Set while the worker does not index although the switch is on. */
  indexer: z.object({ paused: z.literal(true), reason }).exactOptional(),
  /** What the node could not write of the files that say what is missing from answers. Absent: all is written. */
  not_saved: list(z.object({ what: z.string().max(64), reason }), 16).exactOptional(),
  packets_captured: count,
  packets_dissected: count,
  calls: count,
  /** Packets and calls that were left out, because another view of them is kept. */
  duplicates: z.object({ packets: count, calls: count }).exactOptional(),
  /** Packets that were captured more than once: on several devices, or inside and outside of a tunnel. */
  duplicate_captures: count.exactOptional(),
  /** Calls that were indexed without the name of a pod, and calls that other nodes may report as well. */
  unnamed_calls: count.exactOptional(),
  undecided_ownership: count.exactOptional(),
  /** What was recorded before indexing was turned on, and is indexed afterwards. Times are Unix milliseconds. */
  backfill: z
    .object({ running: z.boolean(), from_ts: time, to_ts: time, calls: count, packets: count })
    .exactOptional(),
  loss: z
    .record(z.string().max(64), count)
    .refine((kinds) => Object.keys(kinds).length <= 256, 'there are too many kinds of loss'),
  /** When nothing was recorded, and when nothing was indexed. Absent from workers that do not know. */
  coverage: z.object({ recorded: coverageReport, indexed: coverageReport }).exactOptional(),
  /** Memory and CPU time of the process, all its threads. */
  process: z.object({ memory_bytes: count, cpu_seconds: count }).exactOptional(),
  /** The recording of what processes do: why it does not see everything, where that is so, and what it had to refuse. */
  events: z.object({ size_bytes: count, refused: count, reason: reason.exactOptional() }).exactOptional(),
  /** Set with `tap.tls.capture.enabled`. */
  tls_keys: tlsKeysReport.exactOptional(),
  /** How late live calls were, from their last packet on, at most since the report before; blocks of packets that wait. */
  live: z.object({ lag_ms: count, waiting_blocks: count }).exactOptional(),
  /** Calls that wait to be inserted into ClickHouse, and why they wait, if the last insert failed. Absent: the index is in files. */
  index_queue: z
    .object({ queued_bytes: count, max_bytes: count, reason: reason.exactOptional() })
    .exactOptional(),
})
