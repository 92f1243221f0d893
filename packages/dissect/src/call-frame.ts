import type { Endpoint } from './call.ts'

/** What lines of calls of one flow have in common, as seen from one side: made once (`CallLine.frame`), copied after. */
export class CallFrame {
  readonly src: Endpoint
  readonly dst: Endpoint
  /** The beginning of the id, both ends, and what stands behind the halves, one after the other. */
  readonly bytes: Uint8Array
  readonly idEnd: number
  readonly endsEnd: number
  /** Where the objects of both ends are closed, counted from `idEnd`. */
  readonly srcBrace: number
  readonly dstBrace: number

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
    this.bytes = bytes
    this.idEnd = idEnd
    this.endsEnd = endsEnd
    this.srcBrace = srcEnd - 1 - idEnd
    this.dstBrace = endsEnd - 1 - idEnd
  }
}
