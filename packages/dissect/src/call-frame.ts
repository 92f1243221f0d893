import type { Endpoint } from './call.ts'

/** What lines of calls of one flow have in common, as seen from one side: made once (`CallLine.frame`), copied after. */
export class CallFrame {
  readonly src: Endpoint
  readonly dst: Endpoint
  /** The beginning of the id, both ends, and what stands behind the halves. */
  readonly begin: Uint8Array
  readonly ends: Uint8Array
  readonly tail: Uint8Array
  /** Where the objects of both ends are closed, in `ends`. */
  readonly srcBrace: number
  readonly dstBrace: number

  /** `bytes` are all three, one after the other. */
  constructor(
    src: Endpoint,
    dst: Endpoint,
    bytes: Uint8Array,
    idEnd: number,
    srcEnd: number,
    endsEnd: number,
  ) {
    this.src = src
    this.dst = dst
    this.begin = bytes.subarray(0, idEnd)
    this.ends = bytes.subarray(idEnd, endsEnd)
    this.tail = bytes.subarray(endsEnd)
    this.srcBrace = srcEnd - 1 - idEnd
    this.dstBrace = endsEnd - 1 - idEnd
  }
}
