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
const AT_ONCE = 1_000_000

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
    await this.#double(
      this.tables.calls,
      calls,
      (have) => {
        const number = `flow + ${have} - ${flow.id}`
        return { flow: `flow + ${have}`, ts: `ts - ${have} * 1000`, ...varied('dst', number) }
      },
      ['flow', flow.id],
    )
    await this.#double(
      this.tables.flows,
      flows,
      (have) => {
        const number = `id + ${have} - ${flow.id}`
        return { id: `id + ${have}`, start_ts: `start_ts - ${have} * 1000`, ...varied('server', number) }
      },
      ['id', flow.id],
    )
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

  /** Each insert copies the first rows with other numbers: as many as there are, up to a bound. */
  async #double(
    table: string,
    count: number,
    changes: (have: number) => Readonly<Record<string, string>>,
    [key, first]: readonly [column: string, first: number],
  ): Promise<void> {
    const name = this.connection.table(table)
    for (let have = 1; have < count; ) {
      const more = Math.min(have, count - have, AT_ONCE)
      const replaced = Object.entries(changes(have)).map(([column, sql]) => `${sql} AS ${column}`)
      await this.connection.run(
        `INSERT INTO ${name} SELECT * REPLACE (${replaced.join(', ')}) FROM (SELECT * FROM ${name} WHERE ${key} < ${first + more})`,
      )
      have += more
    }
  }
}

/** The destination and the handshake of a row by its number. */
function varied(side: string, number: string): Readonly<Record<string, string>> {
  return {
    [`${side}_svc`]: `concat('svc-', toString((${number}) % ${DESTINATIONS}))`,
    handshake_us: `toFloat64(50 + (${number}) % 1000)`,
  }
}
