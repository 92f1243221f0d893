import { CaptureReader, type Loss, type PacketSink } from '@tapdeck/wire'

const START = 256 * 1024

/** Packets of one stretch of a capture, copied out of it: columns, no object a packet. */
export class PacketBatch implements PacketSink {
  bytes = new Uint8Array(START)
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly lengths: number[] = []
  /** Microseconds since the epoch. */
  readonly times: number[] = []
  readonly links: number[] = []
  #used = 0

  get size(): number {
    return this.times.length
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    const needed = this.#used + end - start
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
      grown.set(this.bytes.subarray(0, this.#used))
      this.bytes = grown
    }
    this.bytes.set(data.subarray(start, end), this.#used)
    this.starts.push(this.#used)
    this.#used = needed
    this.ends.push(needed)
    this.lengths.push(length)
    this.times.push(time)
    this.links.push(link)
  }
}

/** A capture as batches of packets, one or a few chunks each. */
export async function* packetBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<PacketBatch> {
  let batch = new PacketBatch()
  const loss: Loss = {}
  const reader = new CaptureReader(
    { packet: (data, start, end, length, time, link) => batch.packet(data, start, end, length, time, link) },
    loss,
  )
  for await (const chunk of chunks) {
    reader.push(chunk)
    if (batch.size === 0) continue
    yield batch
    batch = new PacketBatch()
  }
}
