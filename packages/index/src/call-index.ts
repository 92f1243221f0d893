import type { Call, Peers } from '@tapdeck/dissect'
import type { CallReader, HandshakeCounts, HandshakePercentiles } from '@tapdeck/questions'
import type { Flow, Loss } from '@tapdeck/wire'

export type { Peers }

/** When a call began, in microseconds, and between whom: what tells it from others however its packets were read. */
export interface CallStart {
  readonly time: number
  readonly src: { readonly ip: string; readonly port: number }
  readonly dst: { readonly ip: string; readonly port: number }
}

/**
 * The queryable calls and flows of one database: a live node or one dissection. One interface, several engines.
 * One writer appends; readers never block it. What was flushed survives a crash.
 */
export interface CallIndex extends CallReader {
  /** What could not be written since it was opened: a full disk costs payloads first, then calls. */
  readonly loss: Loss
  /** Calls up to this time (Unix milliseconds) were deleted since it was opened, because of `maxBytes`. 0: none. */
  readonly deletedUntil: number
  /** Takes a call on the hot path; it becomes visible to queries at the next flush. Throws only when closed. */
  append(call: Call, peers: Peers): void
  /**
   * Takes a flow when it closes (or its latest state, again, while it is open); the client's peer first. The flow of a
   * call is known without this; its object is kept, and its counters read, until it was given here closed.
   */
  appendFlow(flow: Flow, peers: Peers): void
  /**
   * Makes all that was appended visible and durable; throws where it could not, and tries again the next time. To be awaited every second or so, and every some 10,000 calls:
   * between two flushes chunks cannot change, and what is not given way to cannot be compressed.
   */
  flush(): Promise<void>
  /** The calls that began in `[from, to)`, in microseconds, for a caller that must not append one twice. */
  starts(from: number, to: number): Promise<readonly CallStart[]>
  /** For `mergeHandshakes`, where this index is a part of something larger. */
  handshakeCounts(): Promise<HandshakeCounts>
  /** From now on its calls tell these percentiles of their destinations, and filters ask them: not those of this index alone. */
  adoptHandshakes(percentiles: ReadonlyMap<string, HandshakePercentiles>): void
  close(): Promise<void>
  /**
   * Closes it before it is deleted: nothing more is written, finished or made durable, and queries that run
   * are broken off and fail.
   */
  abandon(): Promise<void>
  /** Frees caches. No query may run meanwhile. */
  release(): Promise<void>
}

export interface IndexOptions {
  /** Stamped on every call and in its id. */
  readonly node: string
  readonly captureSource: string
  /** Whole chunks of the oldest data are dropped above this. 0: no bound. */
  readonly maxBytes: number
  /** Memory ceiling of the query engine in bytes. */
  readonly memory: number
  /** Address of the node, where it is known. */
  readonly nodeIp?: string
  /** Unix milliseconds from which on the packets of calls are kept; absent: not known. */
  readonly packetsSince?: () => number | undefined
  readonly readOnly?: boolean
}
