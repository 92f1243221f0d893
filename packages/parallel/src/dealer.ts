import { EVERYONE, type PacketSink, Shards } from '@tapdeck/wire'
import { MARK } from './journal.ts'
import type { Parcel } from './parcel.ts'

/** Writes down in the journal of a parcel whose each packet is. */
export class Dealer implements PacketSink {
  readonly #count: number
  #shards: Shards
  #parcel: Parcel | undefined
  #restart = false

  constructor(count: number) {
    this.#count = count
    this.#shards = new Shards(count)
  }

  /** The packets that come now are of this parcel. */
  open(parcel: Parcel): void {
    this.#parcel = parcel
  }

  /** With the next packet all flows begin anew. */
  restart(): void {
    this.#shards = new Shards(this.#count)
    this.#restart = true
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    const owner = this.#shards.owner(data, start, end, length, time, link)
    let marks = owner === EVERYONE ? MARK.shared : 0
    if (this.#shards.sweep) marks |= MARK.sweep
    if (this.#restart) {
      this.#restart = false
      marks |= MARK.restart
    }
    this.#parcel?.add(data, start, end, length, time, link, owner, marks)
  }
}
