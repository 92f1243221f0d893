import { type LateFlow, lateFacts, lateFlowOf } from '../late-flow.ts'
import type { OpenFlows } from '../open-flows.ts'
import { quote } from './quote.ts'
import type { Reading } from './reading.ts'

/** What became known of the flows of some calls after them. It lives as long as one answer. */
export class LateFlows {
  readonly #reading: Reading
  readonly #open: OpenFlows
  /** By node and id; undefined: nothing. */
  readonly #flows = new Map<string, LateFlow | undefined>()

  constructor(reading: Reading, open: OpenFlows) {
    this.#reading = reading
    this.#open = open
  }

  /** To be called before one of these calls is looked at. */
  async load(calls: Iterable<{ readonly node_id: string; readonly flow_id: number }>): Promise<void> {
    const wanted: string[] = []
    for (const { node_id, flow_id } of calls) {
      const key = keyOf(node_id, flow_id)
      if (this.#flows.has(key)) continue
      const open = this.#open.find(flow_id)
      this.#flows.set(key, open && lateFacts(open))
      if (open === undefined) wanted.push(`(${quote(node_id)}, ${flow_id})`)
    }
    if (wanted.length === 0) return
    const { connection, flows } = this.#reading
    const rows = await connection.rows(
      `SELECT node, id, argMax(late, version) FROM ${flows} WHERE (node, id) IN (${wanted.join(', ')}) AND isNotNull(late)
       GROUP BY node, id`,
    )
    for (const [node, id, text] of rows)
      this.#flows.set(keyOf(String(node), Number(id)), lateFlowOf(String(text)))
  }

  of(node: string, id: number): LateFlow | undefined {
    return this.#flows.get(keyOf(node, id))
  }
}

function keyOf(node: string, id: number): string {
  return `${node}/${id}`
}
