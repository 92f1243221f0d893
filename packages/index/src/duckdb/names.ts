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
  #size = 0

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** A chunk that is written to has its names with its writer. */
  of(chunk: NamedChunk): Promise<Names> {
    if (chunk.names) return Promise.resolve(chunk.names)
    const names = this.#loaded.get(chunk) ?? this.#load(chunk)
    this.#loaded.delete(chunk)
    this.#loaded.set(chunk, names)
    return names
  }

  async #load(chunk: NamedChunk): Promise<Names> {
    const names = await loadNames(this.#engine, chunk.database)
    this.#size += sizeOf(names)
    for (const [oldest, others] of this.#loaded) {
      if (this.#size <= MAX_NAMES || oldest === chunk) break
      this.#loaded.delete(oldest)
      this.#size -= sizeOf(await others)
    }
    return names
  }
}

function sizeOf({ words, endpoints }: Names): number {
  return words.size + endpoints.size
}
