import { quote } from './quote.ts'

/** From when on the packets of calls are kept: for one node, or for each. Times are given in milliseconds. */
export class PacketsSince {
  readonly #since: number | ReadonlyMap<string, number>

  constructor(since: number | ReadonlyMap<string, number>) {
    this.#since = since
  }

  /** Whether the packets of a call at this time (microseconds) are kept. Of a node that is not known, none are. */
  hasAt(node: string, ts: number): boolean {
    const since =
      typeof this.#since === 'number' ? this.#since : (this.#since.get(node) ?? Number.POSITIVE_INFINITY)
    return ts >= since * 1000
  }

  get sql(): string {
    const since = this.#since
    if (typeof since === 'number') return keptSql(since)
    const nodes = [...since].map(([node, from]) => `c.node = ${quote(node)}, ${keptSql(from)}`)
    return nodes.length === 0 ? 'false' : `multiIf(${nodes.join(', ')}, false)`
  }
}

function keptSql(since: number): string {
  return Number.isFinite(since) ? `(c.ts >= toFloat64(${since * 1000}))` : String(since < 0)
}
