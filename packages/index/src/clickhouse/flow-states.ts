import { type CallFlow, callFlow, type Endpoint, type FlowCounters } from '@tapdeck/dissect'
import type { Transport } from '@tapdeck/wire'
import type { OpenFlows } from '../open-flows.ts'
import type { Value } from './connection.ts'
import { quote } from './quote.ts'
import type { Reading } from './reading.ts'
import { BY_FLOW } from './tables.ts'

interface FlowState {
  readonly counters: FlowCounters
  readonly protocols: readonly string[]
}

const TRANSPORTS = ['tcp', 'udp', 'sctp']
/** Columns of moments, from the begin of the flow on. */
const MOMENTS = ['zero_window', 'fin', 'reset'].flatMap((what) => [`client_${what}_us`, `server_${what}_us`])
const COLUMNS = `node, id, transport, client_ip, client_port, server_ip, server_port, start_ts, last_ts, client_packets,
  client_bytes, server_packets, server_bytes, closed, ${MOMENTS.join(', ')}`

/** What the flows of some calls have come to by now. It lives as long as one answer, which reads a bounded number of calls. */
export class FlowStates {
  readonly #reading: Reading
  readonly #open: OpenFlows
  readonly #states = new Map<string, FlowState | undefined>()

  constructor(reading: Reading, open: OpenFlows) {
    this.#reading = reading
    this.#open = open
  }

  /** To be called before a call of these flows is looked at. */
  async load(calls: Iterable<{ readonly node_id: string; readonly flow_id: number }>): Promise<void> {
    const wanted = new Map<string, string>()
    for (const { node_id, flow_id } of calls)
      if (!this.#states.has(keyOf(node_id, flow_id)))
        wanted.set(keyOf(node_id, flow_id), `(${quote(node_id)}, ${flow_id})`)
    if (wanted.size === 0) return
    for (const key of wanted.keys()) this.#states.set(key, undefined)
    const { connection, flows, calls: table } = this.#reading
    const list = [...wanted.values()].join(', ')
    const ids = [...wanted.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1)).join(', ')
    const [rows, spoken] = await Promise.all([
      connection.rows(`SELECT ${COLUMNS} FROM ${flows} FINAL WHERE (node, id) IN (${list})`),
      // A right decides who sees what a flow carries inside TLS.
      connection.rows(
        `SELECT node, flow, groupUniqArray(proto) FROM ${table} WHERE flow IN (${ids}) AND (node, flow) IN (${list}) AND isNull(tls)
         GROUP BY node, flow ${BY_FLOW}`,
      ),
    ])
    const protocols = new Map(spoken.map(([node, flow, names]) => [keyOf(String(node), Number(flow)), names]))
    for (const row of rows) {
      const key = keyOf(String(row[0]), Number(row[1]))
      const names = protocols.get(key)
      const found = (Array.isArray(names) ? names.map(String) : []).filter(
        (name) => !TRANSPORTS.includes(name),
      )
      const counters = this.#open.find(Number(row[1])) ?? countersOf(row)
      this.#states.set(key, { counters, protocols: found.sort() })
    }
  }

  /** Undefined where nothing was written of the flow yet. */
  of(node: string, id: number, src: Endpoint): CallFlow | undefined {
    const state = this.#states.get(keyOf(node, id))
    if (state === undefined) return undefined
    const [client] = state.counters.ends
    const side = client.ip === src.ip && client.port === src.port ? 0 : 1
    return callFlow(state.counters, side, state.protocols)
  }
}

function keyOf(node: string, id: number): string {
  return `${node}/${id}`
}

function countersOf(row: readonly Value[]): FlowCounters {
  const [start, last, ...counts] = row.slice(7, 13).map(Number)
  const direction = (packets: number, bytes: number) => ({ packets, bytes, goodput: 0, missing: 0 })
  return {
    transport: String(row[2]) as Transport,
    ends: [
      { ip: String(row[3]), port: Number(row[4]) },
      { ip: String(row[5]), port: Number(row[6]) },
    ],
    start,
    last,
    directions: [direction(counts[0], counts[1]), direction(counts[2], counts[3])],
    ...(row[13] !== null && { closed: row[13] }),
    tcp: Object.fromEntries(
      MOMENTS.flatMap((name, at) => (row[14 + at] === null ? [] : [[name, Number(row[14 + at])] as const])),
    ),
  }
}
