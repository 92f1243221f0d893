import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { ClickhouseIndex } from '../../packages/index/src/clickhouse/clickhouse-index.ts'
import { type ClickhouseAddress, Connection } from '../../packages/index/src/clickhouse/connection.ts'
import { openClickhouseIndex } from '../../packages/index/src/clickhouse/open-clickhouse-index.ts'
import { type Tables, tablesOf } from '../../packages/index/src/clickhouse/tables.ts'
import { sampleCall, samplePeers } from '../../packages/index/src/testing/sample-call.ts'
import { sampleFlow } from '../../packages/index/src/testing/sample-flow.ts'

export const catalog = createCatalog(protocols)
const options = { node: 'node-1', captureSource: 'live', maxBytes: 0, memory: 4 * 1024 ** 3 }
const DESTINATIONS = 50
/** Rows of one insert. */
const AT_ONCE = 250_000

/** Two tables with many flows, and one call of each of the newest; all of them copies of one that was written as any other. */
export class ManyFlows {
  readonly connection: Connection
  readonly tables: Tables
  readonly #name: string

  constructor(address: ClickhouseAddress, name: string) {
    this.connection = new Connection(address, options.memory)
    this.tables = tablesOf(name)
    this.#name = name
  }

  async fill(flows: number, calls = flows, tableSettings = {}): Promise<void> {
    const { address } = this.connection
    const writer = await openClickhouseIndex(
      { ...options, address, name: this.#name, tableSettings },
      catalog,
    )
    const flow = sampleFlow({ handshake: 90 })
    writer.append(sampleCall({ flow }), samplePeers(flow))
    writer.appendFlow(flow, samplePeers(flow))
    await writer.close()
    const number = `${flow.id} + n.number`
    await this.#copy(this.tables.calls, calls, {
      flow: number,
      ts: 'one.ts - n.number * 1000',
      dst_svc: service('dst'),
      handshake_us: took,
    })
    await this.#copy(this.tables.flows, flows, {
      id: number,
      start_ts: 'one.start_ts - n.number * 1000',
      server_svc: service('server'),
      handshake_us: took,
    })
  }

  /** As the hub opens it: for the calls of all nodes. */
  reader(connection = this.connection): ClickhouseIndex {
    const allNodes = { packetsSince: () => new Map<string, number>() }
    return new ClickhouseIndex(
      { ...options, readOnly: true, allNodes },
      catalog,
      connection,
      this.tables,
      async () => {},
    )
  }

  async drop(): Promise<void> {
    for (const table of Object.values(this.tables))
      await this.connection.run(`DROP TABLE IF EXISTS ${this.connection.table(table)}`)
    await this.connection.close()
  }

  async #copy(table: string, count: number, changes: Readonly<Record<string, string>>): Promise<void> {
    const name = this.connection.table(table)
    const replaced = Object.entries(changes).map(([column, sql]) => `${sql} AS ${column}`)
    for (let from = 1; from < count; from += AT_ONCE)
      await this.connection.run(
        `INSERT INTO ${name} SELECT one.* REPLACE (${replaced.join(', ')})
         FROM (SELECT number FROM numbers(${from}, ${Math.min(AT_ONCE, count - from)})) AS n
         CROSS JOIN (SELECT * FROM ${name} LIMIT 1) AS one`,
      )
  }
}

const service = (side: string) =>
  `if(n.number % ${DESTINATIONS} = 0, one.${side}_svc, concat('svc-', toString(n.number % ${DESTINATIONS})))`
const took = 'toFloat64(50 + n.number % 1000)'
