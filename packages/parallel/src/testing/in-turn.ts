import { Dealer } from '../dealer.ts'
import { Journal } from '../journal.ts'
import { Parcel } from '../parcel.ts'
import { type DealtSink, readParcel } from '../read-parcel.ts'

/** A crew without threads, for tests: each parcel is read by one shard after the other. */
export class InTurn {
  readonly dealer: Dealer
  readonly #sinks: readonly DealtSink[]
  readonly #parcel = new Parcel(0)

  constructor(sinks: readonly DealtSink[]) {
    this.#sinks = sinks
    this.dealer = new Dealer(sinks.length)
  }

  feed(chunk: Uint8Array, read: (bytes: Uint8Array) => void): void {
    const parcel = this.#parcel
    parcel.clear()
    parcel.bytes.set(chunk)
    this.dealer.open(parcel)
    read(parcel.bytes.subarray(0, chunk.length))
    const { bytes, spill, count } = parcel
    for (const [shard, sink] of this.#sinks.entries())
      readParcel(bytes, spill, new Journal(parcel.journal.buffer), count, shard, sink)
    // Whoever keeps a view of what it was shown will see this.
    bytes.fill(0xaa, 0, chunk.length)
    spill.fill(0xaa)
  }
}
