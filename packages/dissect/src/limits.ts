/** Ceilings of the engine. Each has a counter in `Loss` for what it refused. */
export interface Limits {
  /** Bytes kept of one body. */
  readonly body: number
  /** Bytes buffered of one frame; the rest of a longer frame is skipped and the frame marked truncated. */
  readonly frame: number
  /** Bytes looked at before an unknown stream is given up to `tcp`. */
  readonly probe: number
  /** Things that the protocol of one connection may have under way: streams, deliveries, questions. */
  readonly pending: number
  /** Requests of one connection that wait for their responses. Each of them counts against `total`, too. */
  readonly waiting: number
  /** Bytes buffered by all connections together. */
  readonly total: number
  /** A request without a response is given up after this long, in microseconds of packet time. */
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
