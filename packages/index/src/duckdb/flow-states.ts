import type { DuckDBValue } from '@duckdb/node-api'
import { type CallFlow, callFlow, type Endpoint, type FlowCounters, type FlowMoments } from '@tapdeck/dissect'
import type { Transport } from '@tapdeck/wire'
import type { OpenFlows } from '../open-flows.ts'
import type { Chunk } from './chunk.ts'
import type { Engine } from './engine.ts'
import type { Names, NamesCache } from './names.ts'
import { PLAIN_PROTO } from './schema.ts'

interface FlowState {
  readonly figures: FlowCounters
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
    const everywhere = this.#chunks.map((_, place) => place)
    // Names are put in here: joins in every chunk take the database longer to plan than to run.
    const [rows, protocols] = await Promise.all([
      this.#engine.rows(this.#figuresSql(list)),
      this.#protocols(list, everywhere),
    ])
    for (const row of rows) {
      const id = Number(row[1])
      const names = await this.#names.of(this.#chunks[Number(row[0])])
      const figures = this.#open.find(id) ?? figuresOf(row, names)
      this.#states.set(id, { figures, protocols: [...setOf(protocols.get(id))].sort() })
    }
  }

  /**
   * The same for the flow of one call of that chunk and protocol. Reads only a few chunks: planning a query over all of
   * them takes longer than everything else for one call.
   */
  async loadOne(id: number, chunk: Chunk, proto: string): Promise<void> {
    const place = this.#chunks.indexOf(chunk)
    const figures = this.#open.find(id) ?? (await this.#latest(id, place))
    if (figures === undefined) return
    const known = new Set(proto === '' || TRANSPORTS.includes(proto) ? [] : [proto])
    const places = [...this.#chunks.keys()].filter((at) => {
      const { oldest, newest, protocols } = this.#chunks[at].counts
      const others = [...protocols.keys()].some((name) => !known.has(name) && !TRANSPORTS.includes(name))
      return others && newest >= figures.start && oldest <= figures.last
    })
    const more = places.length > 0 ? await this.#protocols(String(id), places) : undefined
    for (const name of more?.get(id) ?? []) known.add(name)
    this.#states.set(id, { figures, protocols: [...known].sort() })
  }

  /**
   * The last state of a flow that has one in the chunk at `place`. Where it was not over in a chunk, the next has it too:
   * the last that has it is mostly this one or the newest of all, and else found by halves.
   */
  async #latest(id: number, place: number): Promise<FlowCounters | undefined> {
    let low = place
    let high = this.#chunks.length
    let latest: FlowCounters | undefined
    for (let asked = [place, high - 1]; ; asked = [(low + high) >> 1]) {
      const found = await this.#figuresIn(id, asked)
      const last = asked[asked.length - 1]
      if (found === undefined || found.place < last) high = last
      if (found !== undefined) {
        low = found.place
        latest = found.figures
      }
      if (latest === undefined || latest.closed !== undefined || high - low <= 1) return latest
    }
  }

  /** What the last of these chunks that knows the flow says of it. */
  async #figuresIn(
    id: number,
    places: readonly number[],
  ): Promise<{ readonly place: number; readonly figures: FlowCounters } | undefined> {
    const each = [...new Set(places)].map(
      (place) =>
        `SELECT ${place} AS place, ${FIGURES_OF_ONE}, version FROM ${this.#chunks[place].database}.flows WHERE id = ${id}`,
    )
    const rows = await this.#engine.rows(each.join(' UNION ALL '))
    // A flow has few rows: to have the database sort them would cost more than all else.
    const newer = (a: readonly DuckDBValue[], b: readonly DuckDBValue[]) =>
      Number(b[0]) - Number(a[0]) || Number(b.at(-1)) - Number(a.at(-1))
    const [row] = rows.sort(newer)
    if (row === undefined) return undefined
    const place = Number(row[0])
    return { place, figures: figuresOf(row, await this.#names.of(this.#chunks[place])) }
  }

  /** What was spoken in flows, as far as the chunks at these places tell. */
  async #protocols(ids: string, places: readonly number[]): Promise<ReadonlyMap<number, Set<string>>> {
    const protocols = new Map<number, Set<string>>()
    for (const [place, id, proto] of await this.#engine.rows(this.#protocolsSql(ids, places))) {
      const { words } = await this.#names.of(this.#chunks[Number(place)])
      const name = words.text(Number(proto))
      if (!TRANSPORTS.includes(name)) protocols.set(Number(id), setOf(protocols.get(Number(id))).add(name))
    }
    return protocols
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
          client_packets, client_bytes, server_packets, server_bytes, closed, ${MOMENTS.join(', ')} FROM ${database}.flows WHERE id IN (${ids})`,
    )
    return `
      SELECT place, ${FIGURES}
      FROM (${each.join(' UNION ALL ')})
      QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1`
  }

  #protocolsSql(ids: string, places: readonly number[]): string {
    const each = places.map((place) => {
      const { database, listed } = this.#chunks[place]
      return `SELECT ${place} AS place, flow, ${listed ? 'proto' : `${PLAIN_PROTO} AS proto`} FROM ${database}.${listed ? 'ids' : 'calls'} WHERE flow IN (${ids})`
    })
    return `SELECT DISTINCT place, flow::DOUBLE, proto FROM (${each.join(' UNION ALL ')}) WHERE proto IS NOT NULL`
  }
}

/** Columns of moments, from the begin of the flow on. */
const MOMENTS = ['zero_window', 'fin', 'reset'].flatMap((what) => [`client_${what}_us`, `server_${what}_us`])

/** What `figuresOf` reads, after the place of the chunk. */
const FIGURES = `id::DOUBLE, transport, client, client_port, server, server_port, start_ts, last_ts,
  client_packets::DOUBLE, client_bytes::DOUBLE, server_packets::DOUBLE, server_bytes::DOUBLE, closed, ${MOMENTS.join(', ')}`

/** The same as they stand: for a single flow each cast costs more to plan than a bigint to read. */
const FIGURES_OF_ONE = FIGURES.replaceAll('::DOUBLE', '')

const TRANSPORTS = ['tcp', 'udp', 'sctp']

function setOf(names: Set<string> | undefined): Set<string> {
  return names ?? new Set()
}

function figuresOf(row: readonly DuckDBValue[], { words, endpoints }: Names): FlowCounters {
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
    directions: [half(counts[0], counts[1]), half(counts[2], counts[3])],
    ...(row[13] !== null && { closed: row[13] }),
    tcp: momentsOf(row.slice(14)),
  }
}

function momentsOf(columns: readonly DuckDBValue[]): FlowMoments {
  const known = MOMENTS.flatMap((name, at) => {
    const value = columns[at]
    return typeof value === 'number' && !Number.isNaN(value) ? [[name, value] as const] : []
  })
  return Object.fromEntries(known)
}
