import { createHash } from 'node:crypto'
import { CaptureReader, type PacketSink } from '@tapdeck/wire'

/** A checksum of packets and their times that does not depend on their order, or on the file format. */
export class PacketDigest implements PacketSink {
  count = 0
  readonly #sums = new Uint32Array(4)

  packet(data: Uint8Array, start: number, end: number, _length: number, time: number): void {
    const hash = createHash('sha1').update(data.subarray(start, end)).update(String(time)).digest()
    for (const at of this.#sums.keys()) this.#sums[at]! += hash.readUInt32LE(4 * at)
    this.count++
  }

  /** The packets of a capture file. */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const capture = new CaptureReader(this, {})
    for await (const chunk of chunks) capture.push(chunk)
    capture.end()
    return this.value
  }

  get value(): string {
    return `${this.count}/${Buffer.from(this.#sums.buffer).toString('hex')}`
  }
}
