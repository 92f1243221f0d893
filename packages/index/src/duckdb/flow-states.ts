import type { DuckDBValue } from '@duckdb/node-api'
import {
  type CallFlow,
  callFlow,
  type Endpoint,
  type FlowCounters,
  type FlowMoments,
  type TlsSession,
} from '@tapdeck/dissect'
import type { Transport } from '@tapdeck/wire'
import type { OpenFlows } from '../open-flows.ts'
import type { Chunk } from './chunk.ts'
import { groupsOf } from './collect.ts'
import type { Engine } from './engine.ts'
import type { Names, NamesCache } from './names.ts'
import { PLAIN_PROTO } from './schema.ts'

/** What is asked of a call whose flow is wanted. */
interface CallOfFlow {
  readonly flow_id: number
  readonly proto: string
  /** Where it was decrypted: its flow spoke TLS. */
  readonly session?: TlsSession
}

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

  /** To be called before one of these calls of that chunk is looked at. */
  async load(calls: readonly CallOfFlow[], chunk: Chunk): Promise<void> {
    const known = new Map<number, Set<string>>()
    for (const { flow_id, proto, session } of calls) {
      if (this.#states.has(flow_id)) continue
      const names = known.get(flow_id) ?? new Set()
      if (!isTransport(proto) && session === undefined) names.add(proto)
      known.set(flow_id, names)
    }
    if (known.size === 0) return
    const figures = await this.#figuresOf([...known.keys()], this.#chunks.indexOf(chunk))
    const places = this.#placesOfProtocols(
      [...known].map(([id, names]) => ({ names, time: figures.get(id) })),
    )
    await this.#addProtocols(known, places)
    for (const [id, names] of known) this.#set(id, figures.get(id), names)
  }

  /**
   * The same for the flow of one call of that chunk and protocol. Reads only a few chunks: planning a query over all of
   * them takes longer than everything else for one call.
   */
  async loadOne({ flow_id, proto }: CallOfFlow, chunk: Chunk): Promise<void> {
    const place = this.#chunks.indexOf(chunk)
    const figures =
      this.#open.find(flow_id) ??
      (await this.#latest(flow_id, place)) ??
      (place > 0 ? await this.#latest(flow_id, place - 1) : undefined)
    const names = new Set(isTransport(proto) ? [] : [proto])
    if (figures !== undefined)
      await this.#addProtocols(
        new Map([[flow_id, names]]),
        this.#placesOfProtocols([{ names, time: figures }]),
      )
    this.#set(flow_id, figures, names)
  }

  #set(id: number, figures: FlowCounters | undefined, protocols: ReadonlySet<string>): void {
    this.#states.set(id, figures && { figures, protocols: [...protocols].sort() })
  }

  /**
   * The last states of flows that have calls in a chunk. A flow that was not over in a chunk is in the next one too: of many chunks,
   * they are asked in groups, as long as a flow is not over. A call may come after its flow: one chunk before is asked too.
   */
  async #figuresOf(ids: readonly number[], place: number): Promise<ReadonlyMap<number, FlowCounters>> {
    const figures = new Map<number, FlowCounters>()
    let wanted: number[] = []
    for (const id of ids) {
      const open = this.#open.find(id)
      if (open) figures.set(id, open)
      else wanted.push(id)
    }
    for (const group of groupsOf(this.#engine, this.#chunks.slice(Math.max(place - 1, 0)))) {
      if (wanted.length === 0) break
      const goesOn: number[] = []
      for (const row of await this.#engine.rows(figuresSql(wanted, group))) {
        const at = Number(row[0])
        // Names are put in here: joins in every chunk take the database longer to plan than to run.
        const found = figuresOf(row, await this.#names.of(group[at]))
        const id = Number(row[1])
        figures.set(id, found)
        if (found.closed === undefined && at === group.length - 1) goesOn.push(id)
      }
      wanted = goesOn
    }
    return figures
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

  /** The chunks where another protocol may have been spoken in one of these flows. */
  #placesOfProtocols(
    flows: readonly { readonly names: ReadonlySet<string>; readonly time: FlowCounters | undefined }[],
  ): readonly Chunk[] {
    return this.#chunks.filter(({ counts: { oldest, newest, protocols } }) => {
      const spoken = [...protocols.keys()].filter((name) => !isTransport(name))
      return flows.some(
        ({ names, time }) =>
          time !== undefined &&
          newest >= time.start &&
          oldest <= time.last &&
          spoken.some((name) => !names.has(name)),
      )
    })
  }

  /** Adds what was spoken in flows, as far as these chunks tell. */
  async #addProtocols(flows: ReadonlyMap<number, Set<string>>, chunks: readonly Chunk[]): Promise<void> {
    const ids = [...flows.keys()]
    for (const group of groupsOf(this.#engine, chunks))
      for (const [at, id, proto] of await this.#engine.rows(protocolsSql(ids, group))) {
        const { words } = await this.#names.of(group[Number(at)])
        const name = words.text(Number(proto))
        if (!isTransport(name)) flows.get(Number(id))?.add(name)
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
}

function figuresSql(ids: readonly number[], chunks: readonly Chunk[]): string {
  const each = chunks.map(
    ({ database }, at) => `
      SELECT ${at} AS place, id, version, transport, client, client_port, server, server_port, start_ts, last_ts,
        client_packets, client_bytes, server_packets, server_bytes, closed, ${MOMENTS.join(', ')} FROM ${database}.flows WHERE id IN (${ids.join(', ')})`,
  )
  return `
    SELECT place, ${FIGURES}
    FROM (${each.join(' UNION ALL ')})
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC, place DESC) = 1`
}

function protocolsSql(ids: readonly number[], chunks: readonly Chunk[]): string {
  const each = chunks.map(
    ({ database, listed }, at) =>
      `SELECT ${at} AS place, flow, ${listed ? 'proto' : `${PLAIN_PROTO} AS proto`} FROM ${database}.${listed ? 'ids' : 'calls'} WHERE flow IN (${ids.join(', ')})`,
  )
  return `SELECT DISTINCT place, flow::DOUBLE, proto FROM (${each.join(' UNION ALL ')}) WHERE proto IS NOT NULL`
}

/** Columns of moments, from the begin of the flow on. */
const MOMENTS = ['zero_window', 'fin', 'reset'].flatMap((what) => [`client_${what}_us`, `server_${what}_us`])

/** What `figuresOf` reads, after the place of the chunk. */
const FIGURES = `id::DOUBLE, transport, client, client_port, server, server_port, start_ts, last_ts,
  client_packets::DOUBLE, client_bytes::DOUBLE, server_packets::DOUBLE, server_bytes::DOUBLE, closed, ${MOMENTS.join(', ')}`

/** The same as they stand: for a single flow each cast costs more to plan than a bigint to read. */
const FIGURES_OF_ONE = FIGURES.replaceAll('::DOUBLE', '')

const TRANSPORTS = ['tcp', 'udp', 'sctp']

/** What a call is of where nothing but its transport is known. */
function isTransport(proto: string): boolean {
  return proto === '' || TRANSPORTS.includes(proto)
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
