import { Journal, MARK } from './journal.ts'

/** Bytes of a capture that go to the shards at once. */
export const PARCEL_BYTES = 1 << 20
const FIRST_SPILL = 1 << 16
const FIRST_ENTRIES = 1 << 12

/** A stretch of a capture in memory that threads share, with what its packets are. Used again once all have read it. */
export class Parcel {
  readonly number: number
  readonly bytes: Uint8Array = new Uint8Array(new SharedArrayBuffer(PARCEL_BYTES))
  /** Packets that began in an earlier parcel. */
  spill: Uint8Array = new Uint8Array(new SharedArrayBuffer(FIRST_SPILL))
  journal = Journal.ofCapacity(FIRST_ENTRIES)
  /** Entries of the journal. */
  count = 0
  /** Shards that have not read it to the end. */
  readers = 0
  #spilled = 0

  constructor(number: number) {
    this.number = number
  }

  clear(): void {
    this.count = 0
    this.#spilled = 0
  }

  add(
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    link: number,
    owner: number,
    marks: number,
  ): void {
    if (this.count === this.journal.capacity) this.journal = this.journal.grown()
    const here = data.buffer === this.bytes.buffer
    const at = here ? data.byteOffset + start : this.#spillOver(data, start, end)
    const { journal, count } = this
    journal.times[count] = time
    journal.starts[count] = at
    journal.ends[count] = at + end - start
    // Beyond all that is taken for a packet, one length is as good as the other.
    journal.lengths[count] = Math.min(length, 0x7fffffff)
    journal.links[count] = link
    journal.owners[count] = owner
    journal.marks[count] = here ? marks : marks | MARK.spilled
    this.count = count + 1
  }

  #spillOver(data: Uint8Array, start: number, end: number): number {
    const at = this.#spilled
    this.#spilled = at + end - start
    if (this.#spilled > this.spill.length) {
      const wide = new Uint8Array(new SharedArrayBuffer(Math.max(this.#spilled, this.spill.length * 2)))
      wide.set(this.spill.subarray(0, at))
      this.spill = wide
    }
    this.spill.set(data.subarray(start, end), at)
    return at
  }
}
