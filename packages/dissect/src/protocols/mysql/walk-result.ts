import { HEADER, int24, integerAt, integerSize } from './bytes.ts'

const EOF_LENGTH = 5

/** Told of the packets of an answer, in order; each is `bytes[start, end)`. */
export interface ResultSink {
  /** Another result begins. */
  begin(): void
  column(bytes: Uint8Array, start: number, end: number): void
  /** All columns of the result are known. */
  described(): void
  row(bytes: Uint8Array, start: number, end: number): void
}

/** Walks through the packets that an answer kept: a count, definitions, rows, an end mark, and perhaps all that again. */
export function walkResult(bytes: Uint8Array, sink: ResultSink): void {
  let phase: 'count' | 'columns' | 'rows' = 'count'
  let left = 0
  /** Neither a row nor the mark after the definitions has come. */
  let fresh = false
  for (let at = 0; at + HEADER < bytes.length; ) {
    const size = int24(bytes, at)
    const start = at + HEADER
    const end = Math.min(start + size, bytes.length)
    const mark = bytes[start]
    at = start + size
    if (phase === 'count') {
      if (mark === 0) continue
      left = integerAt(bytes, start)
      sink.begin()
      const known = start + integerSize(mark) < end && bytes[start + integerSize(mark)] === 0
      phase = known ? 'rows' : 'columns'
    } else if (phase === 'columns' && left > 0) {
      sink.column(bytes, start, end)
      if (--left === 0) {
        sink.described()
        phase = 'rows'
        fresh = true
      }
    } else if (mark === 0xfe && size === EOF_LENGTH && fresh) fresh = false
    else if (mark === 0xfe) phase = 'count'
    else {
      fresh = false
      sink.row(bytes, start, end)
    }
  }
}
