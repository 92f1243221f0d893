import type { Endpoint } from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import { sameEndpoint } from './endpoint-texts.ts'

/** Numbers the peers of flows, where rows refer to peers by number. */
interface EndpointNumbers {
  id(endpoint: Endpoint): number
}

/** Flows that are followed at once. Beyond, the one that began first is written down and forgotten. */
const MAX_OPEN = 262_144
/** Flows that are found without a search, by the last bits of their ids: most calls are of few flows. */
const AT_HAND = 8192

/** A flow that may still change, and what was written of it. */
export class OpenFlow {
  flow: Flow
  client: Endpoint
  server: Endpoint
  clientId = 0
  serverId = 0
  /** Packets that it had when it was written last. */
  writtenPackets = 0
  handshakeCounted = false
  /** It was written to an earlier chunk than this one. */
  carried = false
  touched = false
  /** What it has now is its last word here: it will not be followed further. */
  final = false
  /** It is no longer among those that are followed. */
  forgotten = false
  /** Number of the chunk that the ids and `written` are true for. */
  chunk = -1

  constructor(flow: Flow, client: Endpoint, server: Endpoint) {
    this.flow = flow
    this.client = client
    this.server = server
  }

  get packets(): number {
    return this.flow.directions[0].packets + this.flow.directions[1].packets
  }

  /**
   * Whether it should be written again. Short flows are written once or twice; a long one each time it has doubled,
   * so that rows stay few and a crash never loses more than half of what was counted.
   */
  get due(): boolean {
    const { closed, tcp } = this.flow
    if (closed !== undefined || this.final || this.writtenPackets === 0) return true
    if (!this.handshakeCounted && tcp?.handshake_us !== undefined) return true
    return this.packets >= this.writtenPackets * 2
  }

  /** Notes that its state was written. */
  written(): void {
    this.writtenPackets = Math.max(this.packets, 1)
    if (this.flow.tcp?.handshake_us !== undefined) this.handshakeCounted = true
  }
}

/** The flows that are open now, with their latest state: what queries see of them before it is written. */
export class OpenFlows {
  readonly #most: number
  readonly #flows = new Map<number, OpenFlow>()
  readonly #atHand = new Array<OpenFlow | undefined>(AT_HAND).fill(undefined)
  #touched: OpenFlow[] = []
  #closed: number[] = []

  constructor(most = MAX_OPEN) {
    this.#most = most
  }

  /** Notes that something happened in a flow; `endpoints` and `chunk` are those now written to. */
  touch(flow: Flow, client: Endpoint, server: Endpoint, endpoints: EndpointNumbers, chunk: number): OpenFlow {
    const place = flow.id & (AT_HAND - 1)
    let open = this.#atHand[place]
    if (open === undefined || open.flow !== flow || open.forgotten) {
      open = this.#flows.get(flow.id)
      if (open === undefined) open = this.#open(flow, client, server)
      else open.flow = flow
      this.#atHand[place] = open
    }
    if (open.chunk !== chunk) this.#enter(open, endpoints, chunk)
    if (!sameEndpoint(open.client, client)) {
      open.client = client
      open.clientId = endpoints.id(client)
    }
    if (!sameEndpoint(open.server, server)) {
      open.server = server
      open.serverId = endpoints.id(server)
    }
    if (!open.touched) {
      open.touched = true
      this.#touched.push(open)
    }
    return open
  }

  /** The present state of a flow that is still followed. */
  find(id: number): Flow | undefined {
    return this.#flows.get(id)?.flow
  }

  /** All that is open enters the next chunk, which is to be complete in itself. */
  enterAll(endpoints: EndpointNumbers, chunk: number): void {
    for (const open of this.#flows.values())
      if (open.flow.closed === undefined) this.touch(open.flow, open.client, open.server, endpoints, chunk)
  }

  /** What is due to be written. Closed flows are forgotten one round later: their last calls may come after them. */
  takeDue(): readonly OpenFlow[] {
    for (const id of this.#closed) {
      const open = this.#flows.get(id)
      if (open?.touched === false) this.#forget(id, open)
    }
    const due = this.#touched.filter((open) => open.due)
    for (const open of this.#touched) open.touched = false
    this.#touched = []
    this.#closed = due.filter(({ flow }) => flow.closed !== undefined).map(({ flow }) => flow.id)
    return due
  }

  /** Nothing more will be heard of any of them. */
  concludeAll(): void {
    for (const open of this.#flows.values()) if (open.packets !== open.writtenPackets) this.#conclude(open)
  }

  /** Those whose names are of this chunk and that changed since they were written. */
  unwritten(chunk: number): readonly OpenFlow[] {
    return [...this.#flows.values()].filter(
      (open) => open.chunk === chunk && open.writtenPackets > 0 && open.packets !== open.writtenPackets,
    )
  }

  #open(flow: Flow, client: Endpoint, server: Endpoint): OpenFlow {
    const open = new OpenFlow(flow, client, server)
    this.#flows.set(flow.id, open)
    if (this.#flows.size > this.#most) this.#evict()
    return open
  }

  #enter(open: OpenFlow, endpoints: EndpointNumbers, chunk: number): void {
    open.carried = open.writtenPackets > 0
    open.chunk = chunk
    open.writtenPackets = 0
    open.clientId = endpoints.id(open.client)
    open.serverId = endpoints.id(open.server)
  }

  #conclude(open: OpenFlow): void {
    open.final = true
    if (open.touched) return
    open.touched = true
    this.#touched.push(open)
  }

  #evict(): void {
    for (const [id, open] of this.#flows) {
      this.#forget(id, open)
      this.#conclude(open)
      return
    }
  }

  #forget(id: number, open: OpenFlow): void {
    this.#flows.delete(id)
    open.forgotten = true
  }
}
