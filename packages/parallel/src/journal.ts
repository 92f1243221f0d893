/** Bytes of one entry in all columns. */
const ENTRY = 26

/** Before the packet: flows begin anew; time went on. The packet: its bytes stand in the spill; all shards take it. */
export const MARK = { restart: 1, sweep: 2, spilled: 4, shared: 8 } as const

/** What the packets of a parcel are, in order, and whose: columns in memory that threads share. */
export class Journal {
  readonly buffer: SharedArrayBuffer
  readonly capacity: number
  readonly times: Float64Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly lengths: Int32Array
  readonly links: Int32Array
  readonly owners: Uint8Array
  readonly marks: Uint8Array

  constructor(buffer: SharedArrayBuffer) {
    const capacity = Math.floor(buffer.byteLength / ENTRY)
    this.buffer = buffer
    this.capacity = capacity
    this.times = new Float64Array(buffer, 0, capacity)
    this.starts = new Int32Array(buffer, capacity * 8, capacity)
    this.ends = new Int32Array(buffer, capacity * 12, capacity)
    this.lengths = new Int32Array(buffer, capacity * 16, capacity)
    this.links = new Int32Array(buffer, capacity * 20, capacity)
    this.owners = new Uint8Array(buffer, capacity * 24, capacity)
    this.marks = new Uint8Array(buffer, capacity * 25, capacity)
  }

  static ofCapacity(capacity: number): Journal {
    return new Journal(new SharedArrayBuffer(capacity * ENTRY))
  }

  /** The same with room for twice as many. */
  grown(): Journal {
    const wide = Journal.ofCapacity(this.capacity * 2)
    wide.times.set(this.times)
    wide.starts.set(this.starts)
    wide.ends.set(this.ends)
    wide.lengths.set(this.lengths)
    wide.links.set(this.links)
    wide.owners.set(this.owners)
    wide.marks.set(this.marks)
    return wide
  }
}
