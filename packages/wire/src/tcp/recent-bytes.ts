import { RECENT, RECENT_INTS, RECENT_SEGMENTS } from './tcp-row.ts'

/** Segments of an end whose first bytes are remembered, and how many bytes of each. */
const SEGMENTS = 4
const BYTES = 16
/** Of each: its sequence number, how many bytes are remembered, and four words of them. */
const LENGTH = 1
const WORDS = 2
const CELL = RECENT_INTS / SEGMENTS

/**
 * Bytes that are delivered are gone. So that others in their place are noticed, the first ones of the last segments are kept: a few stores a
 * segment, where the rest of the payload is not read.
 */
export function noteDelivered(
  ints: Int32Array,
  from: number,
  seq: number,
  view: DataView,
  at: number,
  end: number,
): void {
  if (end <= at) return
  const cell = from + RECENT_SEGMENTS + (ints[from + RECENT]++ & (SEGMENTS - 1)) * CELL
  ints[cell] = seq
  ints[cell + LENGTH] = Math.min(end - at, BYTES)
  // What is behind a short payload is read, too, and never compared.
  if (at + BYTES > view.byteLength) noteShort(ints, cell, view, at, end)
  else {
    ints[cell + WORDS] = view.getInt32(at)
    ints[cell + WORDS + 1] = view.getInt32(at + 4)
    ints[cell + WORDS + 2] = view.getInt32(at + 8)
    ints[cell + WORDS + 3] = view.getInt32(at + 12)
  }
}

function noteShort(ints: Int32Array, cell: number, view: DataView, at: number, end: number): void {
  for (let word = 0; word < BYTES / 4; word++) ints[cell + WORDS + word] = 0
  const length = end - at
  for (let i = 0; i < length; i++)
    ints[cell + WORDS + (i >> 2)] |= view.getUint8(at + i) << (24 - 8 * (i & 3))
}

/** Whether `data[start, end)`, which begins at `seq`, has other bytes where those of the last segments are remembered. */
export function contradictsDelivered(
  ints: Int32Array,
  from: number,
  seq: number,
  data: Uint8Array,
  start: number,
  end: number,
): boolean {
  const first = from + RECENT_SEGMENTS
  for (let cell = first; cell < first + RECENT_INTS; cell += CELL) {
    // Where the remembered bytes begin in the segment.
    const offset = (ints[cell] - seq) | 0
    const stop = Math.min(end - start, offset + ints[cell + LENGTH])
    for (let i = Math.max(0, offset); i < stop; i++) {
      const at = i - offset
      const byte = (ints[cell + WORDS + (at >> 2)] >>> (24 - 8 * (at & 3))) & 0xff
      if (byte !== data[start + i]) return true
    }
  }
  return false
}
