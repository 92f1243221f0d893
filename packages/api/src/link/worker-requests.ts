import {
  type Asked,
  byProtocol,
  callPage,
  KIB,
  type LinkRequest,
  listing,
  MIB,
  oneCall,
  order,
  type Questions,
  questions,
  times,
} from '@tapdeck/questions'
import { count, isWritable, list, reason, time, timeOrNull } from '@tapdeck/questions/message-values'
import { z } from 'zod'
import { eventRow } from './link-rows.ts'
import { maxLinkMessage } from './message-limits.ts'
import { boundaries, packetDrops } from './worker-report.ts'

/** Parts of one step of an upload, and bytes of one part. */
const MAX_STEP = 16
const MAX_PART = 128 * 1024 * 1024
const none = z.object({})
/** What an answer out of the recording cost. Times are Unix milliseconds. */
export const rewindCost = z.object({
  read_bytes: count,
  /** All that is recorded in the window. */
  window_bytes: count,
  packets: count,
  elapsed_ms: count,
  searched_from: time,
  searched_to: time,
  /** Calls that were looked at, and how many of which protocol. */
  calls: count,
  by_protocol: byProtocol,
  /** Only packets of the peers that the filter names were read. */
  restricted: z.boolean(),
})

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const windowOutput = z.object({
  packet_count: count,
  size_bytes: count,
  dropped_packets: count,
  drops: packetDrops.exactOptional(),
  start_ts: timeOrNull,
  end_ts: timeOrNull,
  partial: z.boolean(),
})

/** Which events are wanted; see `EventQuery` of the recording. */
export const eventsInput = z.object({
  ...times,
  kind: z.enum(['cluster', 'os']).exactOptional(),
  type: z.string().exactOptional(),
  pid: z.number().exactOptional(),
  name: z.string().exactOptional(),
  /** Command lines are neither returned nor looked at by `name`. */
  hide_cmdline: z.boolean().exactOptional(),
  order,
  limit: listing.limit,
  from: time.exactOptional(),
})

const sealingKey = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** 32 bytes. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
})

/** Requests of the hub besides the questions; each is answered by one `answer` or `failure` under their id. */
const ownRequests = {
  /** The switch. Answered once applied. */
  indexing: { input: z.object({ enabled: z.boolean() }), output: z.object({ enabled: z.boolean() }) },
  /** Names of addresses; replaces what was sent before. */
  inventory: { input: z.object({ inventory: z.unknown() }), output: none },
  /** What changed in the names of addresses. With `more`, the rest of the change follows, and all of it counts at once. */
  names: { input: z.object({ delta: z.unknown(), more: z.boolean().exactOptional() }), output: none },
  /** From now on only packets are captured that match this BPF expression; empty: all. */
  capture_filter: { input: z.object({ expression: z.string().max(65_536) }), output: none },
  /** From now on calls of these pods are indexed. */
  targets: {
    input: z.object({
      regex: z.string().max(1000),
      namespaces: list(z.string().max(253), 1000),
      excludedNamespaces: list(z.string().max(253), 1000),
    }),
    output: none,
  },
  /** From now on credentials in calls are hashed with this key of 32 bytes. */
  credential_key: { input: z.object({ key: z.string().regex(/^[0-9a-f]{64}$/) }), output: none },
  /** `now`: the clock of the node. Workers of earlier versions do not return it. */
  boundaries: { input: none, output: boundaries.extend({ now: time.exactOptional() }) },
  /** What the worker would identify itself with now. The cluster renews the token of its service account. */
  credential: { input: none, output: z.object({ credential: z.string().max(65_536) }), largest: 128 * KIB },
  /** Live calls that match, pushed as `calls` messages until `unsubscribe`. */
  subscribe: {
    input: z.object({
      subscription: count,
      kfl: listing.kfl,
      /** Each call carries the trace that its headers name. */
      traces: z.boolean().exactOptional(),
    }),
    output: none,
  },
  unsubscribe: { input: z.object({ subscription: count }), output: none },
  /** Calls straight out of the recording, dissected as they are asked for, within a budget. */
  rewind: {
    input: z.object({
      ...listing,
      start: time,
      end: time,
      /** At most as much as the worker's own budget. */
      max_ms: count.exactOptional(),
      max_bytes: count.exactOptional(),
    }),
    output: z.object({
      ...callPage,
      /** The budget ended before the limit was reached or all was searched. */
      spent: z.boolean(),
      rewind: rewindCost,
    }),
    largest: maxLinkMessage,
  },
  /** A call by its id; times in milliseconds narrow the search for the packet that its flow began with. */
  rewind_call: {
    input: z.object({ id: z.string(), ...times }),
    /** `complete`: a call that is null does not exist; otherwise the budget ended before it was found. */
    output: z.object({ call: oneCall, complete: z.boolean() }),
    largest: maxLinkMessage,
  },
  /** Events of this node. `reason`: why not all can be recorded. */
  events: {
    input: eventsInput,
    output: z.object({
      events: list(eventRow, 2_000_000),
      total: count,
      more: z.boolean(),
      reason: reason.exactOptional(),
      /** `hide_cmdline` was understood. Workers of earlier versions do not know it. */
      cmdline_hidden: z.boolean().exactOptional(),
    }),
    largest: maxLinkMessage,
    inTurn: true,
  },
  /** The events of a window, and before it who owned the connections in it: lines of JSON, streamed as binary pieces. */
  event_window: { input: z.object({ start: time, end: time }), output: z.object({ count }) },
  /** The hub's keys for TLS secrets: a worker seals with the first one and opens with all. It stores none of them. */
  tls_keys: { input: z.object({ keys: list(sealingKey, 256) }), output: z.object({}) },
  /**
   * The TLS secrets of a window: sealed records, streamed as binary pieces. `after`: only those that were taken after this time
   * of the node; workers of earlier versions return them all.
   */
  key_window: {
    input: z.object({ start: time, end: time, after: time.exactOptional() }),
    output: z.object({ count }),
  },
  /**
   * The packets of a window as files in `folder`, a folder that the hub made among its snapshots: where both have the same
   * disk, nothing needs to be copied. Fails with `not_shared` where this worker sees no such folder.
   */
  hand_over: {
    input: z.object({ start: time, end: time, folder: z.string().max(4096), max_bytes: count }),
    output: windowOutput.extend({
      /** To be read one after the other. */
      files: list(z.object({ name: z.string().max(255), size_bytes: count, packet_count: count }), 1_000_000),
    }),
    largest: 16 * MIB,
  },
  /**
   * Sends the packets of a window as one pcapng to an object storage, step by step: the worker says which parts are ready, the
   * next request brings an address for each, and so on until `result`. `upload` names it from step to step.
   */
  upload: {
    input: z.object({
      upload: z.uuid(),
      start: time,
      end: time,
      part_bytes: z.number().int().min(1).max(MAX_PART),
      /** Parts that were ready. Without an address, the hub has the same part from an earlier attempt. */
      parts: list(z.object({ number: count, url: z.url().max(8192).exactOptional() }), MAX_STEP),
    }),
    output: z.object({
      /** Parts of this request that the storage has accepted. */
      sent: list(count, MAX_STEP),
      ready: list(
        z.object({ number: count, size: count, md5: z.string().regex(/^[A-Za-z0-9+/]{22}==$/) }),
        MAX_STEP,
      ),
      /** All parts are sent. The checksums of the blocks and the index came as binary pieces, in this order. */
      result: windowOutput.extend({ sha256, sums_bytes: count, index_bytes: count }).exactOptional(),
    }),
  },
  /** The packets of a window as one pcapng, streamed as binary pieces; the answer comes after the last piece. */
  window: {
    /** With `parties`, only packets that have a key of each list; see `PacketKeys`. */
    input: z.object({
      start: time,
      end: time,
      parties: list(list(z.number(), 1_000_000), 1000).exactOptional(),
      /** Continues an interrupted transfer after these bytes. Fails with `changed` if the worker has others. */
      from: z.object({ offset: count, sha256 }).exactOptional(),
      /** The packets are counted, and not sent. Workers of earlier versions send them. */
      count_only: z.literal(true).exactOptional(),
    }),
    /** `sha256` is that of all bytes; workers of earlier versions do not take it. */
    output: windowOutput.extend({ sha256: sha256.exactOptional() }),
  },
} as const

type OwnRequests = {
  readonly [Name in keyof typeof ownRequests]: Asked<
    (typeof ownRequests)[Name]['input'],
    (typeof ownRequests)[Name]['output']
  >
}

/** Requests of the hub by their names, each with its input and its answer. */
export interface WorkerRequests extends OwnRequests, Questions {}

/** THE list of what the hub asks of a worker. */
export const workerRequests: {
  readonly [Name in keyof WorkerRequests]: LinkRequest<
    WorkerRequests[Name]['input'],
    WorkerRequests[Name]['output']
  >
} = { ...ownRequests, ...questions }

/** What a failure says besides, such as `hint` or `position`; bounded, since it is sent on to callers. */
export const extensions = z
  .record(z.string().max(64), z.unknown())
  .refine((given) => Object.keys(given).length <= 32 && isWritable(given), 'this cannot be sent on')
