import type { Endpoint } from './call.ts'

/**
 * What lines of calls of one flow have in common, as seen from one side: made for the second of them, and copied from then
 * on. Many flows have one call.
 */
export class CallFrame {
  /** Of the flow. */
  readonly id: number
  readonly src: Endpoint
  readonly dst: Endpoint
  /** Whether there was a line already. */
  isUsed = false
  /** The beginning of the id, both ends, and what stands behind the halves; undefined until they are made. */
  begin: Uint8Array | undefined
  ends: Uint8Array | undefined
  tail: Uint8Array | undefined
  /** Where the objects of both ends are closed, in `ends`. */
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
