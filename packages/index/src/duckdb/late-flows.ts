import { type LateFlow, lateFacts, lateFlowOf } from '../late-flow.ts'
import type { OpenFlows } from '../open-flows.ts'
import type { Chunk } from './chunk.ts'
import type { Engine } from './engine.ts'

/** Stored texts that are remembered of a chunk; of more flows, the ones that changed last count. */
const MAX_REMEMBERED = 50_000

/** What became known of the flows of some calls after them. It lives as long as one answer. */
export class LateFlows {
  readonly #engine: Engine
  readonly #chunks: readonly Chunk[]
  readonly #open: OpenFlows
  /** The texts of chunks that were asked, the oldest first. */
  readonly #texts: ReadonlyMap<number, string>[] = []
  #first = Number.POSITIVE_INFINITY

  constructor(engine: Engine, chunks: readonly Chunk[], open: OpenFlows) {
    this.#engine = engine
    this.#chunks = chunks
    this.#open = open
  }

  /** To be called before a call of that chunk is looked at. A call may come after its flow: one chunk before is asked, too. */
  async load(chunk: Chunk): Promise<void> {
    const first = Math.max(this.#chunks.indexOf(chunk) - 1, 0)
    if (first >= this.#first) return
    const fresh = this.#chunks.slice(first, Math.min(this.#first, this.#chunks.length))
    this.#first = first
    const texts: ReadonlyMap<number, string>[] = []
    for (const one of fresh) {
      one.late ??= readLate(this.#engine, one.database)
      texts.push(await one.late)
    }
    this.#texts.unshift(...texts)
  }

  of(id: number): LateFlow | undefined {
    const open = this.#open.find(id)
    if (open !== undefined) return lateFacts(open)
    for (let at = this.#texts.length - 1; at >= 0; at--) {
      const text = this.#texts[at]!.get(id)
      if (text !== undefined) return lateFlowOf(text)
    }
    return undefined
  }
}

async function readLate(engine: Engine, database: string): Promise<ReadonlyMap<number, string>> {
  const rows = await engine.rows(
    `SELECT id::DOUBLE, late FROM ${database}.flows WHERE late IS NOT NULL
     QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1 ORDER BY last_ts DESC LIMIT ${MAX_REMEMBERED}`,
  )
  return new Map(rows.map(([id, text]) => [Number(id), String(text)]))
}
