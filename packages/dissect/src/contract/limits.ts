/** Limits of the engine, the same for each use except `body` and `total`. What they refuse is counted in `Loss`. */
export interface Limits {
  /** Bytes kept of one body. */
  readonly body: number
  /** Bytes buffered of one frame. The rest of a longer frame is skipped and the frame marked truncated. */
  readonly frame: number
  /** Bytes probed before a stream counts as unrecognised. */
  readonly probe: number
  /** Streams, deliveries or lookups in progress in the protocol state of one connection. */
  readonly pending: number
  /** Requests of one connection that wait for a response. Each also counts against `total`. */
  readonly waiting: number
  /** Bytes buffered by all connections together. */
  readonly total: number
  /**
   * Microseconds of packet time after which a request is emitted without its response if that may have been lost. If
   * the direction of the response is captured, the request waits until its flow ends.
   */
  readonly patience: number
}

export const defaultLimits: Limits = {
  body: 64 * 1024,
  frame: 256 * 1024,
  probe: 4 * 1024,
  pending: 1024,
  waiting: 64 * 1024,
  total: 256 * 1024 * 1024,
  patience: 60_000_000,
}
