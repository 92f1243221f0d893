import type { Chunk } from './chunk.ts'
import type { Engine } from './engine.ts'
import { Handshakes } from './handshakes.ts'

/** Percentiles move little with one handshake more: they are worked out anew when this part of them is new. */
const NEW_PART = 0.01

/** The handshake percentiles of an index, as fresh as they need be. */
export class HandshakeCache {
  readonly #engine: Engine
  #percentiles: Promise<Handshakes> | undefined
  #oldest: Chunk | undefined
  #count = 0

  constructor(engine: Engine) {
    this.#engine = engine
  }

  of(chunks: readonly Chunk[]): Promise<Handshakes> {
    const count = chunks.reduce((sum, { counts }) => sum + counts.handshakes, 0)
    const isStale = chunks.at(0) !== this.#oldest || Math.abs(count - this.#count) > this.#count * NEW_PART
    if (this.#percentiles && !isStale) return this.#percentiles
    this.#oldest = chunks.at(0)
    this.#count = count
    const percentiles = Handshakes.load(this.#engine, chunks)
    this.#percentiles = percentiles
    percentiles.catch(() => {
      this.#percentiles = undefined
    })
    return percentiles
  }
}
