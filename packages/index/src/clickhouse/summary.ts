import type { IndexSummary } from '@tapdeck/questions'
import { callTimes } from './call-times.ts'
import type { Reading } from './reading.ts'

/** What the tables hold. The columns that are read of each row have some bytes. */
export async function readSummary(reading: Reading): Promise<IndexSummary> {
  const { connection, calls, flows } = reading
  const [times, protocols, [[count]]] = await Promise.all([
    callTimes(reading),
    connection.rows(
      `SELECT c.proto, count(), sum(c.size) FROM ${calls} AS c WHERE ${reading.ofNode()} GROUP BY c.proto`,
    ),
    // A flow has several rows until they are merged. `FINAL` would merge all of them for this; of very many, this is within 1 %.
    connection.rows(`SELECT uniqCombined64(node, id) FROM ${flows} WHERE ${reading.ofNode('node')}`),
  ])
  const sum = (column: number) => protocols.reduce((total, row) => total + Number(row[column]), 0)
  return {
    calls: sum(1),
    flows: Number(count),
    oldest_ts: times?.from ?? null,
    newest_ts: times?.to ?? null,
    size_bytes: sum(2),
    by_protocol: Object.fromEntries(protocols.map(([name, calls]) => [String(name), Number(calls)])),
  }
}
