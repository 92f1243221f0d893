/**
 * Packets of one stretch of a capture: columns, no object a packet. Bytes of the stretch itself are not copied; of
 * packets that lie elsewhere, because a stretch ended within them, they are.
 */
export class PacketBatch {
  readonly sources: Uint8Array[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly lengths: number[] = []
  /** Microseconds since the epoch. */
  readonly times: number[] = []
  readonly links: number[] = []
  readonly #stretch: Uint8Array

  /** `stretch` must stay as it is while the batch is used. */
  constructor(stretch: Uint8Array) {
    this.#stretch = stretch
  }

  get size(): number {
    return this.times.length
  }

  add(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    if (data === this.#stretch) {
      this.sources.push(data)
      this.starts.push(start)
      this.ends.push(end)
    } else {
      this.sources.push(data.slice(start, end))
      this.starts.push(0)
      this.ends.push(end - start)
    }
    this.lengths.push(length)
    this.times.push(time)
    this.links.push(link)
  }
}
