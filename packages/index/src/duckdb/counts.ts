import { type Engine, quote } from './engine.ts'
import type { RowBatch } from './row-batch.ts'
import type { callSchema, flowSchema } from './schema.ts'
import type { Words } from './words.ts'

/** Counts of a chunk, kept while it is written, so that no query has to scan it. */
export class Counts {
  calls = 0
  /** Flows that began in this chunk, and those that were open when it began. */
  flows = 0
  carried = 0
  handshakes = 0
  /** Microseconds; the wrong way round before any call. */
  oldest = Number.POSITIVE_INFINITY
  newest = Number.NEGATIVE_INFINITY
  readonly #protocols = new Map<string, number>()
  #stagedCalls: Counts | undefined
  #stagedFlows: Counts | undefined

  static async load(engine: Engine, database: string): Promise<Counts> {
    const counts = new Counts()
    const [sealed] = await engine.rows(`SELECT ${COLUMNS}, protocols FROM ${database}.sealed`)
    const [row] = sealed ? [sealed] : await engine.rows(recount(database))
    const protocols = sealed
      ? Object.entries(JSON.parse(String(sealed[6])))
      : await engine.rows(
          `SELECT w.text, count(*) FROM ${database}.calls c JOIN ${database}.words w ON w.id = c.proto GROUP BY w.text`,
        )
    const [calls, flows, carried, handshakes, oldest, newest] = row
    counts.calls = Number(calls)
    counts.flows = Number(flows)
    counts.carried = Number(carried)
    counts.handshakes = Number(handshakes)
    if (oldest !== null) counts.oldest = Number(oldest)
    if (newest !== null) counts.newest = Number(newest)
    for (const [name, count] of protocols) counts.#protocols.set(String(name), Number(count))
    return counts
  }

  get protocols(): ReadonlyMap<string, number> {
    return this.#protocols
  }

  /** Counts rows that were handed over but are not to be seen yet. */
  stageCalls(batch: RowBatch<typeof callSchema>, words: Words): void {
    const { ts, proto } = batch.columns
    this.#stagedCalls ??= new Counts()
    const staged = this.#stagedCalls
    staged.calls += batch.count
    for (let i = 0; i < batch.count; i++) {
      if (ts[i] < staged.oldest) staged.oldest = ts[i]
      if (ts[i] > staged.newest) staged.newest = ts[i]
    }
    for (let i = 0, run = 0; i < batch.count; i++) {
      run++
      if (i + 1 < batch.count && proto[i + 1] === proto[i]) continue
      staged.#count(words.text(proto[i]), run)
      run = 0
    }
  }

  stageFlows(batch: RowBatch<typeof flowSchema>): void {
    const { first, handshake } = batch.columns
    this.#stagedFlows ??= new Counts()
    for (let i = 0; i < batch.count; i++) {
      if (first[i] === 1) this.#stagedFlows.flows++
      if (first[i] === 2) this.#stagedFlows.carried++
      if (handshake[i] === 1) this.#stagedFlows.handshakes++
    }
  }

  /** What was staged is now in the database. */
  publishCalls(): void {
    if (this.#stagedCalls) this.join(this.#stagedCalls)
    this.#stagedCalls = undefined
  }

  publishFlows(): void {
    if (this.#stagedFlows) this.join(this.#stagedFlows)
    this.#stagedFlows = undefined
  }

  /** What was staged did not get there. */
  discard(): void {
    this.#stagedCalls = undefined
    this.#stagedFlows = undefined
  }

  join(other: Counts): void {
    this.calls += other.calls
    this.flows += other.flows
    this.carried += other.carried
    this.handshakes += other.handshakes
    this.oldest = Math.min(this.oldest, other.oldest)
    this.newest = Math.max(this.newest, other.newest)
    for (const [name, count] of other.#protocols) this.#count(name, count)
  }

  insertStatement(database: string): string {
    const { calls, flows, carried, handshakes } = this
    const times = [this.oldest, this.newest].map((time) => (Number.isFinite(time) ? time : 'NULL'))
    const protocols = quote(JSON.stringify(Object.fromEntries(this.#protocols)))
    const values = [calls, flows, carried, handshakes, ...times, protocols]
    return `INSERT INTO ${database}.sealed (${COLUMNS}, protocols) VALUES (${values.join(', ')})`
  }

  #count(protocol: string, calls: number): void {
    this.#protocols.set(protocol, (this.#protocols.get(protocol) ?? 0) + calls)
  }
}

const COLUMNS = 'calls, flows, carried, handshakes, oldest_ts, newest_ts'

function recount(database: string): string {
  const flows = (condition: string) => `(SELECT count(*) FROM ${database}.flows WHERE ${condition})`
  return `SELECT count(*), ${flows('first = 1')}, ${flows('first = 2')}, ${flows('handshake = 1')}, min(ts), max(ts)
    FROM ${database}.calls`
}
