import type { CallFlow, Endpoint } from '@tapdeck/dissect'
import type { HandshakePercentiles } from '@tapdeck/questions'
import type { LateFlow } from '../late-flow.ts'
import type { Connection } from './connection.ts'
import type { PacketsSince } from './packets-since.ts'
import { quote } from './quote.ts'
import type { Tables } from './tables.ts'

/** A call whose destination is looked up. */
export interface ShownCall {
  readonly node_id: string
  readonly flow_id: number
  readonly dst: Endpoint
  readonly position: { readonly ts: number }
  /** How long the handshake of its own connection took, in microseconds. */
  readonly handshake?: number
}

/** Looks up handshakes of the destinations of calls: first loaded for some calls, then asked for each. */
interface HandshakeLookup {
  load(calls: readonly ShownCall[]): Promise<void>
  of(dst: Endpoint): HandshakePercentiles | undefined
}

/** Looks up what the flows of calls have come to: first loaded for some calls, then asked for each. */
interface FlowLookup {
  load(calls: Iterable<{ readonly node_id: string; readonly flow_id: number }>): Promise<void>
  of(node: string, id: number, src: Endpoint): CallFlow | undefined
}

/** Looks up what became known of flows after their calls: first loaded for some calls, then asked for each. */
interface LateLookup {
  load(calls: Iterable<{ readonly node_id: string; readonly flow_id: number }>): Promise<void>
  of(node: string, id: number): LateFlow | undefined
}

/** What one answer reads, and what its calls have in common. */
export class Reading {
  readonly connection: Connection
  /** The tables, quoted. */
  readonly calls: string
  readonly flows: string
  /** Only calls of this node; undefined: of all. */
  readonly node: string | undefined
  /** Only if requested. */
  handshakes: HandshakeLookup | undefined
  /** Only if requested. */
  flowStates: FlowLookup | undefined
  /** Only for calls that are returned, and for filters that read it. */
  late: LateLookup | undefined
  /** Undefined: it is not known whether packets are kept. */
  packetsSince: PacketsSince | undefined

  constructor(connection: Connection, tables: Tables, node: string | undefined) {
    this.connection = connection
    this.calls = connection.table(tables.calls)
    this.flows = connection.table(tables.flows)
    this.node = node
  }

  /** The condition that a row is of the node, over the column that has it. */
  ofNode(column = 'c.node'): string {
    return this.node === undefined ? 'true' : `${column} = ${quote(this.node)}`
  }
}
