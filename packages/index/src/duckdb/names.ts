import { Endpoints } from './endpoints.ts'
import type { Engine } from './engine.ts'
import { Words } from './words.ts'

/** What the numbers in the rows of one chunk stand for. */
export interface Names {
  readonly words: Words
  readonly endpoints: Endpoints
}

export async function loadNames(engine: Engine, database: string): Promise<Names> {
  const words = await engine.rows(`SELECT id, text FROM ${database}.words`)
  const endpoints = await engine.rows(
    `SELECT id, ip, pod, ns, svc, node, process, more FROM ${database}.endpoints`,
  )
  return {
    words: new Words(words.map(([id, text]) => [Number(id), String(text)])),
    endpoints: new Endpoints(
      endpoints.map((row) => {
        const [ip, pod, ns, svc, node, process, more] = row
          .slice(1)
          .map((value) => (value === null ? '' : String(value)))
        return [Number(row[0]), { ip, pod, ns, svc, node, process, more }]
      }),
    ),
  }
}

/** A chunk as far as its names are concerned. */
interface NamedChunk {
  readonly database: string
  readonly names?: Names
}

/** Cached names of finished chunks. */
const MAX_NAMES = 262_144

/** The names of chunks that were read lately. */
export class NamesCache {
  readonly #engine: Engine
  readonly #loaded = new Map<NamedChunk, Promise<Names>>()
  /** Names of each loaded chunk, and of all. */
  readonly #sizes = new Map<NamedChunk, number>()
  #size = 0

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Cached names. */
  get size(): number {
    return this.#size
  }

  /** A chunk that is written to has its names with its writer. */
  of(chunk: NamedChunk): Promise<Names> {
    if (chunk.names) return Promise.resolve(chunk.names)
    const names = this.#loaded.get(chunk) ?? this.#load(chunk)
    this.#loaded.delete(chunk)
    this.#loaded.set(chunk, names)
    return names
  }

  /** Forgets all other chunks: they were dropped. */
  retain(chunks: readonly NamedChunk[]): void {
    for (const chunk of this.#loaded.keys()) if (!chunks.includes(chunk)) this.#forget(chunk)
  }

  async #load(chunk: NamedChunk): Promise<Names> {
    try {
      const names = await loadNames(this.#engine, chunk.database)
      if (this.#loaded.has(chunk)) this.#count(chunk, sizeOf(names))
      return names
    } catch (error) {
      this.#forget(chunk)
      throw error
    }
  }

  #count(chunk: NamedChunk, size: number): void {
    this.#size += size - (this.#sizes.get(chunk) ?? 0)
    this.#sizes.set(chunk, size)
    for (const oldest of this.#loaded.keys()) {
      if (this.#size <= MAX_NAMES || oldest === chunk) break
      this.#forget(oldest)
    }
  }

  #forget(chunk: NamedChunk): void {
    this.#loaded.delete(chunk)
    this.#size -= this.#sizes.get(chunk) ?? 0
    this.#sizes.delete(chunk)
  }
}

function sizeOf({ words, endpoints }: Names): number {
  return words.size + endpoints.size
}
