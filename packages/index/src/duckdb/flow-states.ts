import type { DuckDBValue } from '@duckdb/node-api'
import { type CallFlow, callFlow, type Endpoint, type FlowFigures } from '@tapdeck/dissect'
import type { Transport } from '@tapdeck/wire'
import type { Chunk } from './chunk.ts'
import type { Engine } from './engine.ts'
import type { Names, NamesCache } from './names.ts'
import type { OpenFlows } from './open-flows.ts'

interface FlowState {
  readonly figures: FlowFigures
  readonly protocols: readonly string[]
}

/** What the flows of some calls have come to by now. It lives as long as one answer, which reads a bounded number of calls. */
export class FlowStates {
  readonly #engine: Engine
  readonly #chunks: readonly Chunk[]
  readonly #names: NamesCache
  readonly #open: OpenFlows
  readonly #states = new Map<number, FlowState | undefined>()

  constructor(engine: Engine, chunks: readonly Chunk[], names: NamesCache, open: OpenFlows) {
    this.#engine = engine
    this.#chunks = chunks
    this.#names = names
    this.#open = open
  }

  /** To be called before a call of these flows is looked at. */
  async load(flows: Iterable<number>): Promise<void> {
    const ids = [...new Set(flows)].filter((id) => !this.#states.has(id))
    if (ids.length === 0) return
    for (const id of ids) this.#states.set(id, undefined)
    const list = ids.join(', ')
    // Names are put in here: joins in every chunk take the database longer to plan than to run.
    const [rows, spoken] = await Promise.all([
      this.#engine.rows(this.#figuresSql(list)),
      this.#engine.rows(this.#protocolsSql(list)),
    ])
    const protocols = new Map<number, Set<string>>()
    for (const [place, id, proto] of spoken) {
      const { words } = await this.#names.of(this.#chunks[Number(place)])
      const name = words.text(Number(proto))
      if (!TRANSPORTS.includes(name)) protocols.set(Number(id), setOf(protocols.get(Number(id))).add(name))
    }
    for (const row of rows) {
      const id = Number(row[1])
      const names = await this.#names.of(this.#chunks[Number(row[0])])
      const figures = this.#open.find(id) ?? figuresOf(row, names)
      this.#states.set(id, { figures, protocols: [...setOf(protocols.get(id))].sort() })
    }
  }

  /** Undefined where nothing was written of the flow yet. */
  of(id: number, src: Endpoint): CallFlow | undefined {
    const state = this.#states.get(id)
    if (state === undefined) return undefined
    const [client] = state.figures.ends
    const side = client.ip === src.ip && client.port === src.port ? 0 : 1
    return callFlow(state.figures, side, state.protocols)
  }

  #figuresSql(ids: string): string {
    const each = this.#chunks.map(
      ({ database }, i) => `
        SELECT ${i} AS place, id, version, transport, client, client_port, server, server_port, start_ts, last_ts,
          client_packets, client_bytes, server_packets, server_bytes, closed FROM ${database}.flows WHERE id IN (${ids})`,
    )
    return `
      SELECT place, id::DOUBLE, transport, client, client_port, server, server_port, start_ts, last_ts,
        client_packets::DOUBLE, client_bytes::DOUBLE, server_packets::DOUBLE, server_bytes::DOUBLE, closed
      FROM (${each.join(' UNION ALL ')})
      QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1`
  }

  #protocolsSql(ids: string): string {
    const each = this.#chunks.map(
      ({ database, listed }, i) =>
        `SELECT ${i} AS place, flow, proto FROM ${database}.${listed ? 'ids' : 'calls'} WHERE flow IN (${ids})`,
    )
    return `SELECT DISTINCT place, flow::DOUBLE, proto FROM (${each.join(' UNION ALL ')})`
  }
}

const TRANSPORTS = ['tcp', 'udp', 'sctp']

function setOf(names: Set<string> | undefined): Set<string> {
  return names ?? new Set()
}

function figuresOf(row: readonly DuckDBValue[], { words, endpoints }: Names): FlowFigures {
  const [transport, client, clientPort, server, serverPort, start, last, ...counts] = row
    .slice(2, 13)
    .map(Number)
  const half = (packets: number, bytes: number) => ({ packets, bytes, goodput: 0, missing: 0 })
  return {
    transport: words.text(transport) as Transport,
    ends: [
      { ip: endpoints.endpoint(client, clientPort).ip, port: clientPort },
      { ip: endpoints.endpoint(server, serverPort).ip, port: serverPort },
    ],
    start,
    last,
    halves: [half(counts[0], counts[1]), half(counts[2], counts[3])],
    ...(row[13] !== null && { closed: row[13] }),
  }
}
