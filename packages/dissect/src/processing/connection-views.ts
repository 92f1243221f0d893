import type { Flow } from '@tapdeck/wire'

/** Connections that are remembered; above that the oldest is forgotten. */
const MAX_CONNECTIONS = 65_536
/** Flows whose first packet was seen just now, and whose numbers are not read yet. */
const MAX_OPENED = 4096

/**
 * Several flows of a capture can be one TCP connection: before and after address translation (a Service's cluster IP, a
 * node port, masquerading). Their addresses differ, their initial sequence numbers, 64 random bits, do not.
 */
export class ConnectionViews {
  /** By the client's initial sequence number. */
  readonly #views = new Map<number, Flow[]>()
  /** What each flow is found by there: a flow that is over does not know its numbers any more. */
  readonly #clients = new WeakMap<Flow, number>()
  #opened: Flow[] = []
  readonly #secondary = new WeakSet<Flow>()
  /** Flows that have calls. */
  readonly #reported = new WeakSet<Flow>()

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

  /** All views of a connection, in the order in which its first packet passed: the client's first. */
  of(flow: Flow): readonly Flow[] {
    this.#readOpened()
    const [client, server] = flow.sequences ?? []
    if (client === undefined || server === undefined) return [flow]
    const found = this.#views.get(client)?.filter((one) => one === flow || one.sequences?.[1] === server)
    if (found === undefined || found.length < 2) return [flow]
    return found.sort((a, b) => a.start - b.start)
  }

  /**
   * A call is reported with this view: the flows of the others are left out. A flow with calls is never left out: a view
   * can have a call that another one missed.
   */
  choose(flow: Flow, views: readonly Flow[]): void {
    this.#reported.add(flow)
    if (this.#secondary.delete(flow)) return
    for (const view of views) if (view !== flow) this.leaveOut(view)
  }

  /** Another view of this connection is reported. */
  leaveOut(flow: Flow): void {
    if (!this.#reported.has(flow)) this.#secondary.add(flow)
  }

  isLeftOut(flow: Flow): boolean {
    return this.#secondary.has(flow)
  }

  /** A flow has ended. Without calls, the view nearest to the server stays. */
  closed(flow: Flow): void {
    const views = this.of(flow)
    const last = views.at(-1)
    if (views.length > 1 && last !== undefined && !views.some((view) => this.#secondary.has(view)))
      this.choose(last, views)
    const client = this.#clients.get(flow)
    if (client === undefined) return
    const rest = this.#views.get(client)?.filter((one) => one !== flow) ?? []
    if (rest.length > 0) this.#views.set(client, rest)
    else this.#views.delete(client)
  }

  #readOpened(): void {
    if (this.#opened.length === 0) return
    for (const flow of this.#opened) {
      const client = flow.sequences?.[0]
      if (client === undefined) continue
      this.#clients.set(flow, client)
      const known = this.#views.get(client)
      if (known === undefined) this.#views.set(client, [flow])
      else if (!known.includes(flow)) known.push(flow)
    }
    this.#opened = []
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MAX_CONNECTIONS) break
      this.#views.delete(oldest)
    }
  }
}
