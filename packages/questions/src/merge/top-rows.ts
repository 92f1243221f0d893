/** Rows with a score, held by several sources; the score of a key is the sum, or the maximum, over the sources. */
export interface Ranking<Row> {
  readonly sources: number
  readonly combine: 'sum' | 'max'
  key(row: Row): string
  score(row: Row): number
  /** The rows of the sources at these places (default: all), each source's largest score first. */
  ask(request: RowRequest<Row>, at?: readonly number[]): Promise<ReadonlyMap<number, readonly Row[]>>
}

export interface RowRequest<Row> {
  readonly limit: number
  /** Only rows with at least this score. */
  readonly atLeast?: number
  /** Only rows with the keys of these. */
  readonly only?: readonly Row[]
}

export interface TopRows<Row> {
  /** For each key that can be among the first, its row at each source that has it. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<number, Row>>
  /** Sources that gave all their rows; then `rows` has all keys. */
  readonly complete: boolean
  /** A bound was reached: a key with many small rows may be missing. */
  readonly approximate: boolean
}

/** Rows in memory for one answer, over all sources. */
const MAX_ROWS = 200_000
const MAX_ROWS_OF_ONE = 10_000
const MIN_FIRST = 50

/**
 * The rows of the `limit` largest keys over all sources, exact, without fetching all rows (the "three-phase uniform
 * threshold" algorithm, Cao and Wang 2004). Phase 1: the first rows of each source give a lower bound for the score of
 * the last wanted key. Phase 2: a key that reaches the bound has at least its n-th part in one of n sources; these rows
 * are fetched. Phase 3: of keys that can still reach the bound, the rows of the other sources.
 */
export async function topRows<Row>(ranking: Ranking<Row>, limit: number): Promise<TopRows<Row>> {
  const { sources } = ranking
  const most = Math.max(1, Math.min(MAX_ROWS_OF_ONE, Math.floor(MAX_ROWS / sources)))
  const first = Math.min(limit, most, Math.max(MIN_FIRST, Math.ceil((2 * limit) / sources)))
  const found = new FoundRows(ranking)
  found.add(await ranking.ask({ limit: first }), first, 0)
  if (found.cut.length === 0) return found.result(true, false)
  const bound = found.scoreAt(limit)
  const share = ranking.combine === 'sum' ? bound / sources : bound
  const deeper = found.cut.filter((source) => found.lastOf(source) >= share)
  let approximate = false
  if (deeper.length > 0) {
    found.add(await ranking.ask({ limit: most, atLeast: share }, deeper), most, share)
    approximate = deeper.some((source) => found.lastOf(source) > share && found.isFull(source, most))
  }
  const candidates = found.reaching(found.scoreAt(limit))
  const incomplete = candidates.filter((rows) => found.cut.some((source) => !rows.has(source)))
  const wanted = incomplete.slice(0, most).map((rows) => rows.values().next().value as Row)
  if (incomplete.length > most) approximate = true
  if (wanted.length > 0) found.complete(await ranking.ask({ limit: wanted.length, only: wanted }, found.cut))
  return found.result(false, approximate)
}

class FoundRows<Row> {
  readonly #ranking: Ranking<Row>
  readonly #rows = new Map<string, Map<number, Row>>()
  /** Of sources that have more rows: the largest score that those can have, and how many rows came. */
  readonly #rest = new Map<number, { last: number; rows: number }>()

  constructor(ranking: Ranking<Row>) {
    this.#ranking = ranking
  }

  /** Sources of which not all rows are here. */
  get cut(): number[] {
    return [...this.#rest.keys()]
  }

  lastOf(source: number): number {
    return this.#rest.get(source)?.last ?? 0
  }

  isFull(source: number, limit: number): boolean {
    return (this.#rest.get(source)?.rows ?? 0) >= limit
  }

  /** Takes the first rows of sources; `floor`: rows below that score were not requested. */
  add(answers: ReadonlyMap<number, readonly Row[]>, limit: number, floor: number): void {
    for (const [source, rows] of answers) {
      this.#store(source, rows)
      const last = rows.at(-1)
      const full = rows.length >= limit
      if (full && last !== undefined)
        this.#rest.set(source, { last: this.#ranking.score(last), rows: rows.length })
      else if (floor > 0) this.#rest.set(source, { last: floor, rows: rows.length })
      else this.#rest.delete(source)
    }
  }

  complete(answers: ReadonlyMap<number, readonly Row[]>): void {
    for (const [source, rows] of answers) this.#store(source, rows)
  }

  /** The score of the key at this rank, as far as it is known; 0 where there are fewer keys. */
  scoreAt(rank: number): number {
    const scores = [...this.#rows.values()].map((rows) => this.#known(rows)).sort((a, b) => b - a)
    return scores[rank - 1] ?? 0
  }

  /** The rows of keys whose score can be at least `bound`, the largest known score first. */
  reaching(bound: number): ReadonlyMap<number, Row>[] {
    const known = new Map([...this.#rows.values()].map((rows) => [rows, this.#known(rows)]))
    const possible = [...known].filter(([rows, score]) => this.#possible(rows, score) >= bound)
    return possible.sort(([, a], [, b]) => b - a).map(([rows]) => rows)
  }

  result(complete: boolean, approximate: boolean): TopRows<Row> {
    return { rows: this.#rows, complete, approximate }
  }

  #store(source: number, rows: readonly Row[]): void {
    for (const row of rows) {
      const key = this.#ranking.key(row)
      const known = this.#rows.get(key)
      if (known) known.set(source, row)
      else this.#rows.set(key, new Map([[source, row]]))
    }
  }

  #known(rows: ReadonlyMap<number, Row>): number {
    let score = 0
    for (const row of rows.values()) score = this.#plus(score, this.#ranking.score(row))
    return score
  }

  #possible(rows: ReadonlyMap<number, Row>, known: number): number {
    let score = known
    for (const [source, { last }] of this.#rest) if (!rows.has(source)) score = this.#plus(score, last)
    return score
  }

  #plus(a: number, b: number): number {
    return this.#ranking.combine === 'sum' ? a + b : Math.max(a, b)
  }
}
