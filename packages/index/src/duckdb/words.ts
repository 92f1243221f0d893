import { RowBatch } from './row-batch.ts'
import { wordSchema } from './schema.ts'

/** The short texts of a chunk that repeat from row to row, by number. 0 is no word. */
export class Words {
  readonly #ids = new Map<string, number>()
  readonly #texts: string[] = ['']
  #fresh: [number, string][] = []

  constructor(known: Iterable<readonly [id: number, text: string]> = []) {
    for (const [id, text] of known) {
      this.#ids.set(text, id)
      this.#texts[id] = text
    }
  }

  get size(): number {
    return this.#ids.size
  }

  id(text: string | undefined): number {
    if (text === undefined) return 0
    const id = this.#ids.get(text)
    return id === undefined ? this.#add(text) : id
  }

  text(id: number): string {
    return this.#texts[id]
  }

  /** What was added since the last time, to be written. */
  takeFresh(): readonly RowBatch<typeof wordSchema>[] {
    const batches: RowBatch<typeof wordSchema>[] = []
    for (const [id, text] of this.#fresh) {
      if (batches.at(-1)?.full ?? true) batches.push(new RowBatch(wordSchema))
      const batch = batches[batches.length - 1]
      batch.columns.id[batch.count] = id
      batch.columns.text.set(batch.count, text)
      batch.count++
    }
    this.#fresh = []
    return batches
  }

  #add(text: string): number {
    const id = this.#ids.size + 1
    this.#ids.set(text, id)
    this.#texts[id] = text
    this.#fresh.push([id, text])
    return id
  }
}
