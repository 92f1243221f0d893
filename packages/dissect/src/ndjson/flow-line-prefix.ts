import type { Endpoint } from '../contract/call.ts'

/**
 * What the lines of one flow share, seen from one side. Created for the second line, because many flows have only one
 * call.
 */
export class FlowLinePrefix {
  /** The flow id. */
  readonly id: number
  readonly src: Endpoint
  readonly dst: Endpoint
  /** Whether a line was written. */
  isUsed = false
  /** Start of the id, both endpoints, and the end of the line; undefined until created. */
  begin: Uint8Array | undefined
  ends: Uint8Array | undefined
  tail: Uint8Array | undefined
  /** Closing braces of both endpoints, in `ends`. */
  srcBrace = 0
  dstBrace = 0

  constructor(id: number, src: Endpoint, dst: Endpoint) {
    this.id = id
    this.src = src
    this.dst = dst
    this.begin = undefined
    this.ends = undefined
    this.tail = undefined
  }
}
