import type { Call, Endpoint, Peers } from '@tapdeck/dissect'
import type { Resolver } from '@tapdeck/inventory'
import type { Flow } from '@tapdeck/wire'
import { HeldCalls } from './held-calls.ts'

/** How long the names of a pod may take to arrive, milliseconds. A pod that ends at once is reported in less. */
const WAIT_MS = 5000
/** How long an address that stayed nameless is not waited for. */
const GIVEN_UP_MS = 60_000
const MAX_GIVEN_UP = 4096
const MAX_FLOWS = 10_000
/** How often it looks for calls that have waited long enough. */
const CHECK_MS = 1000

interface Waiting {
  /** Until when, by the monotonic clock. */
  readonly until: number
  /** Ends that are pods whose names are not known. */
  readonly ends: readonly Endpoint[]
  readonly peers: Peers
  /** Unix milliseconds at which the names count. */
  readonly time: number
}

interface Options {
  resolver(): Resolver
  /** The names that the ends have now. */
  name(call: Call): Peers | undefined
  nameFlow(flow: Flow): Peers | undefined
  /** Takes a call that has its names, or does not wait any longer for them. */
  release(call: Call, peers: Peers): void
  /** The same for a flow that is over, after its calls. */
  releaseFlow(flow: Flow, peers: Peers): void
}

/**
 * Calls of pods that are not known yet, because the names of a new pod arrive after its first packets. They are held until
 * the names are there, for a few seconds at most. Who reports a call does not depend on it.
 */
export class NamelessCalls {
  /** Calls that were indexed without the name of a pod. */
  unnamed = 0
  readonly #options: Options
  readonly #calls = new HeldCalls<Waiting>()
  readonly #flows = new Map<Flow, Waiting>()
  /** Addresses that are not waited for until a time. */
  readonly #givenUp = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** When the first call that is held ended, Unix milliseconds; undefined: none is held. */
  get oldestEnd(): number | undefined {
    const end = this.#calls.oldestEnd
    return end === undefined ? undefined : end / 1000
  }

  /** Returns false if the call has to be indexed now. */
  hold(call: Call, peers: Peers): boolean {
    const waiting = this.#waitingFor(peers, call.start / 1000)
    if (waiting === undefined) return false
    if (this.#isGivenUp(waiting) || this.#calls.hold(call, waiting) === undefined) {
      this.unnamed++
      return false
    }
    this.#timer ??= setTimeout(() => this.check(), CHECK_MS).unref()
    return true
  }

  /** Returns false if the flow has to be indexed now. */
  holdFlow(flow: Flow, peers: Peers): boolean {
    const waiting = this.#waitingFor(peers, flow.start / 1000)
    if (waiting === undefined || this.#flows.size >= MAX_FLOWS || this.#isGivenUp(waiting)) return false
    this.#flows.set(flow, waiting)
    this.#timer ??= setTimeout(() => this.check(), CHECK_MS).unref()
    return true
  }

  /** Passes on all that has its names now, or has waited long enough. */
  check(): void {
    const now = performance.now()
    this.#release((waiting) => {
      if (this.#isNamed(waiting) || this.#isGivenUp(waiting)) return true
      if (now < waiting.until) return false
      this.#giveUp(waiting)
      return true
    })
    this.#schedule()
  }

  /** Passes on all. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#release(() => true)
  }

  #release(isDue: (waiting: Waiting) => boolean): void {
    const { name, nameFlow, release, releaseFlow } = this.#options
    this.#calls.release((call, waiting) => {
      if (!this.#isNamed(waiting)) this.unnamed++
      release(call, joined(waiting.peers, name(call)))
    }, isDue)
    for (const [flow, waiting] of this.#flows) {
      if (!isDue(waiting)) continue
      this.#flows.delete(flow)
      releaseFlow(flow, joined(waiting.peers, nameFlow(flow)))
    }
  }

  #waitingFor({ src, dst }: Peers, time: number): Waiting | undefined {
    if (src.pod !== undefined && dst.pod !== undefined) return undefined
    const resolver = this.#options.resolver()
    const ends = [src, dst].filter(({ pod, ip }) => pod === undefined && resolver.awaitsPod(ip, time))
    return ends.length === 0
      ? undefined
      : { until: performance.now() + WAIT_MS, ends, peers: { src, dst }, time }
  }

  #isNamed({ ends, time }: Waiting): boolean {
    const resolver = this.#options.resolver()
    return ends.every(({ ip, port }) => resolver.resolve(ip, port, time).pod !== undefined)
  }

  #isGivenUp({ ends }: Waiting): boolean {
    const now = performance.now()
    return ends.some(({ ip }) => (this.#givenUp.get(ip) ?? 0) > now)
  }

  #giveUp({ ends, time }: Waiting): void {
    const resolver = this.#options.resolver()
    for (const { ip, port } of ends) {
      if (resolver.resolve(ip, port, time).pod !== undefined) continue
      this.#givenUp.delete(ip)
      this.#givenUp.set(ip, performance.now() + GIVEN_UP_MS)
    }
    for (const oldest of this.#givenUp.keys()) {
      if (this.#givenUp.size <= MAX_GIVEN_UP) break
      this.#givenUp.delete(oldest)
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#calls.size + this.#flows.size === 0) return
    this.#timer = setTimeout(() => this.check(), CHECK_MS).unref()
  }
}

/** Other views of a connection may be forgotten meanwhile, and with them the names that came from there. */
function joined(before: Peers, now: Peers | undefined): Peers {
  return now ? { src: { ...before.src, ...now.src }, dst: { ...before.dst, ...now.dst } } : before
}
