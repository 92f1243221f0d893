/** Memory of a piece in addition to its bytes, so that a flood of tiny pieces reaches the limit too. */
const OVERHEAD = 160

/** Out-of-order bytes. `length` is more than `bytes.length` if the capture cut them. */
export interface Piece {
  readonly seq: number
  readonly length: number
  readonly bytes: Uint8Array
  readonly time: number
  /** Of TCP: the acknowledgement number of the segment, and how many packets the connection had before it. */
  readonly ack: number
  readonly packets: number
  next: Piece | undefined
}

/** Bytes as they arrive: `data[start, end)` covers `length` bytes at `seq`. */
export interface ArrivedBytes {
  readonly seq: number
  readonly length: number
  readonly data: Uint8Array
  readonly start: number
  readonly end: number
  readonly time: number
  readonly ack: number
  readonly packets: number
}

/** Pieces in the order of their 32-bit sequence numbers, never overlapping: the first copy of a byte wins. */
export class PieceList {
  head: Piece | undefined
  /** What the pieces cost in memory. */
  cost = 0
  /** How many bytes of the sequence the pieces cover. */
  covered = 0
  #tail: Piece | undefined

  /** Adds a copy. True: it contradicts an earlier copy. */
  insert(arrived: ArrivedBytes): boolean {
    const { seq, length, data, start, end } = arrived
    const stop = (seq + length) | 0
    const tail = this.#tail
    if (tail === undefined || ((seq - tail.seq - tail.length) | 0) >= 0) {
      this.#link(tail, undefined, arrived, seq, length)
      return false
    }
    let conflict = false
    let from = seq
    let before: Piece | undefined
    let piece = this.head
    while (piece !== undefined && ((from - stop) | 0) < 0) {
      const pieceEnd = (piece.seq + piece.length) | 0
      if (((pieceEnd - from) | 0) > 0) {
        if (((piece.seq - stop) | 0) >= 0) break
        const lead = (piece.seq - from) | 0
        if (lead > 0) {
          this.#link(before, piece, arrived, from, lead)
          from = piece.seq
        }
        if (contradicts(piece, from, stop, data, start + ((from - seq) | 0), end)) conflict = true
        from = pieceEnd
      }
      before = piece
      piece = piece.next
    }
    const rest = (stop - from) | 0
    if (rest > 0) this.#link(before, piece, arrived, from, rest)
    return conflict
  }

  /** Whether the pieces have all bytes of `[seq, stop)`. */
  covers(seq: number, stop: number): boolean {
    let at = seq
    for (let piece = this.head; piece !== undefined && ((at - stop) | 0) < 0; piece = piece.next) {
      const end = (piece.seq + piece.length) | 0
      if (((piece.seq - at) | 0) > 0) return false
      if (((end - at) | 0) > 0) at = end
    }
    return ((at - stop) | 0) >= 0
  }

  /** Takes the first piece out. */
  shift(): Piece | undefined {
    const piece = this.head
    if (piece === undefined) return undefined
    this.head = piece.next
    if (piece.next === undefined) this.#tail = undefined
    this.cost -= piece.bytes.length + OVERHEAD
    this.covered -= piece.length
    return piece
  }

  /** Links a copy of the `length` bytes at `seq`, as far as they were captured. */
  #link(
    before: Piece | undefined,
    next: Piece | undefined,
    { seq: first, data, start, end, time, ack, packets }: ArrivedBytes,
    seq: number,
    length: number,
  ): void {
    const at = start + ((seq - first) | 0)
    const bytes = data.slice(at, Math.max(at, Math.min(end, at + length)))
    const piece: Piece = { seq, length, bytes, time, ack, packets, next }
    if (before === undefined) this.head = piece
    else before.next = piece
    if (next === undefined) this.#tail = piece
    this.cost += bytes.length + OVERHEAD
    this.covered += length
  }
}

/** Does `data[at, end)`, which begins at `seq`, differ from the piece where both have the same bytes up to `stop`? */
function contradicts(
  piece: Piece,
  seq: number,
  stop: number,
  data: Uint8Array,
  at: number,
  end: number,
): boolean {
  const offset = (seq - piece.seq) | 0
  const size = Math.min((stop - seq) | 0, piece.bytes.length - offset, end - at)
  for (let index = 0; index < size; index++) if (piece.bytes[offset + index] !== data[at + index]) return true
  return false
}
