import type { Chunk } from './chunk.ts'

/** Percentiles move little with one handshake more: they are worked out anew when this part of them is new. */
const NEW_PART = 0.01

/** What follows from the handshakes of an index, as fresh as it need be. */
export class HandshakeCache<Value> {
  readonly #load: (chunks: readonly Chunk[]) => Promise<Value>
  #loaded: Promise<Value> | undefined
  #oldest: Chunk | undefined
  #count = 0

  constructor(load: (chunks: readonly Chunk[]) => Promise<Value>) {
    this.#load = load
  }

  of(chunks: readonly Chunk[]): Promise<Value> {
    const count = chunks.reduce((sum, { counts }) => sum + counts.handshakes, 0)
    const isStale = chunks.at(0) !== this.#oldest || Math.abs(count - this.#count) > this.#count * NEW_PART
    if (this.#loaded && !isStale) return this.#loaded
    this.#oldest = chunks.at(0)
    this.#count = count
    const loaded = this.#load(chunks)
    this.#loaded = loaded
    loaded.catch(() => {
      this.#loaded = undefined
    })
    return loaded
  }
}
