import type { Address, Flow } from '../flow.ts'

/** Connections that are remembered; above that the oldest is forgotten. */
const MAX_CONNECTIONS = 65_536
/** Flows whose first packet was seen just now, and whose numbers are not read yet. */
const MAX_OPENED = 4096
/** Connections with several views that are over and still remembered: a view can be read late. */
const MAX_OVER = 1024

/**
 * One TCP connection. A capture can have it as several flows: before and after address translation (a Service's cluster IP, a
 * node port, masquerading). Their addresses differ, their initial sequence numbers, 64 random bits, do not.
 */
export interface Connection {
  /** Initial sequence numbers of client and server. The server's is undefined before it answered. */
  readonly sequences: readonly [number, number | undefined]
  /** All views, in the order in which the first packet passed: the client's first. They stay while one of them is open. */
  readonly views: readonly Flow[]
  /** Who opened it, before any translation. */
  readonly client: Address
}

/** The connections of a capture: outlive their flows, because calls are emitted when a flow is over, too. */
export class Connections {
  /** Views by the client's initial sequence number. */
  readonly #views = new Map<number, Flow[]>()
  /** Client numbers of connections with several views that are over, the oldest first. */
  readonly #over = new Set<number>()
  #opened: Flow[] = []

  /** Connections that are remembered. */
  get size(): number {
    return this.#views.size
  }

  /** A flow begins. Its numbers are known after its first packet. */
  opened(flow: Flow): void {
    if (flow.transport !== 'tcp' || flow.midstream) return
    this.#opened.push(flow)
    if (this.#opened.length >= MAX_OPENED) this.#readOpened()
  }

  /** The connection of a flow; undefined where its beginning was not captured. */
  of(flow: Flow): Connection | undefined {
    const [client, server] = flow.sequences ?? []
    if (client === undefined) return undefined
    const views = this.viewsOf(flow)
    return { sequences: [client, server], views, client: (views[0] ?? flow).ends[0] }
  }

  /** The views of the connection of a flow, the client's first; the flow alone where there is no other. */
  viewsOf(flow: Flow): readonly Flow[] {
    if (this.#opened.length > 0) this.#readOpened()
    const { sequences } = flow
    const client = sequences?.[0]
    if (client === undefined) return [flow]
    const known = this.#views.get(client)
    if (known === undefined || known.length < 2) return [flow]
    const server = sequences?.[1]
    const views = known.filter((one) => one === flow || isSame(one.sequences?.[1], server, one, flow))
    return views.length < 2 ? [flow] : views.sort((a, b) => a.start - b.start)
  }

  /** Whether this flow is all that is known of its connection, which it has from the beginning. */
  isAlone(flow: Flow): boolean {
    if (this.#opened.length > 0) this.#readOpened()
    const { sequences } = flow
    const client = sequences?.[0]
    if (client === undefined || sequences?.[1] === undefined) return false
    const known = this.#views.get(client)
    return known?.length === 1 && known[0] === flow
  }

  /** A flow is over, and so are the calls that it had. */
  closed(flow: Flow): void {
    if (this.#opened.length > 0) this.#readOpened()
    const client = flow.sequences?.[0]
    const known = client === undefined ? undefined : this.#views.get(client)
    if (client === undefined || known === undefined || !known.includes(flow)) return
    if (known.some((one) => one.closed === undefined)) return
    if (known.length === 1) {
      this.#views.delete(client)
      return
    }
    this.#over.add(client)
    if (this.#over.size <= MAX_OVER) return
    const [oldest] = this.#over
    this.#over.delete(oldest!)
    this.#views.delete(oldest!)
  }

  #readOpened(): void {
    for (const flow of this.#opened) {
      const client = flow.sequences?.[0]
      if (client === undefined) continue
      const known = this.#views.get(client)
      if (known === undefined) this.#views.set(client, [flow])
      else if (this.#over.delete(client) && !isViewOf(flow, known)) this.#views.set(client, [flow])
      else if (!known.includes(flow)) known.push(flow)
    }
    this.#opened = []
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MAX_CONNECTIONS) break
      this.#views.delete(oldest)
      this.#over.delete(oldest)
    }
  }
}

/** Views of one attempt to connect begin within this time, microseconds: a number that comes again later is another connection. */
const ATTEMPT_US = 3_000_000

/** Where no server answered, the client's number and the time decide. */
function isSame(one: number | undefined, other: number | undefined, a: Flow, b: Flow): boolean {
  if (one !== undefined && other !== undefined && one !== other) return false
  return Math.abs(a.start - b.start) <= ATTEMPT_US
}

function isViewOf(flow: Flow, known: readonly Flow[]): boolean {
  return known.some((one) => Math.abs(one.start - flow.start) <= ATTEMPT_US)
}
