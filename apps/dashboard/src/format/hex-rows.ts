/** Bytes of a hex dump that belong together. */
export interface HexRun {
  readonly hex: string
  readonly text: string
  /** What marks them; empty for none. */
  readonly mark: string
}

export interface HexRow {
  readonly offset: string
  readonly runs: readonly HexRun[]
  /** Bytes that the row lacks to a full one. */
  readonly lacks: number
}

export interface HexMark {
  readonly from: number
  readonly to: number
  readonly mark: string
}

export const ROW_BYTES = 16

/** Sixteen bytes a row, at most `max` bytes. Of marks that overlap the last wins. */
export function hexRows(bytes: Uint8Array, max: number, marks: readonly HexMark[] = []): readonly HexRow[] {
  const rows: HexRow[] = []
  const end = Math.min(bytes.length, max)
  for (let offset = 0; offset < end; offset += ROW_BYTES) {
    const rowEnd = Math.min(offset + ROW_BYTES, end)
    const touching = marks.filter(({ from, to }) => from < rowEnd && to > offset)
    const markAt = (at: number) => touching.findLast(({ from, to }) => from <= at && at < to)?.mark ?? ''
    const runs: HexRun[] = []
    for (let at = offset; at < rowEnd; ) {
      const mark = markAt(at)
      let until = at + 1
      while (until < rowEnd && markAt(until) === mark) until++
      runs.push({ ...run(bytes.subarray(at, until)), mark })
      at = until
    }
    rows.push({ offset: offset.toString(16).padStart(6, '0'), runs, lacks: offset + ROW_BYTES - rowEnd })
  }
  return rows
}

/** Where a text is in bytes, once or several times. */
export function findText(bytes: Uint8Array, text: string, from: number, max: number): readonly number[] {
  const wanted = new TextEncoder().encode(text)
  const found: number[] = []
  if (wanted.length === 0) return found
  for (let at = from; at + wanted.length <= bytes.length && found.length < max; at++) {
    let same = 0
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++
    if (same === wanted.length) found.push(at)
  }
  return found
}

function run(bytes: Uint8Array): { hex: string; text: string } {
  return {
    hex: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' '),
    text: Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(
      '',
    ),
  }
}
