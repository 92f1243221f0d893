import type { Flow } from '@tapdeck/wire'
import { DatagramFlow } from './datagram-flow.ts'
import { IdleDatagramState } from './idle-datagram-state.ts'

/** Flows with more calls are not compacted. */
const MAX_CALLS = 16
/** Distinct states that are kept: more than protocols times numbers of calls. */
const MAX_KINDS = 64
/** Flow objects that are kept for reuse. */
const MAX_POOLED = 256

/**
 * Compacts idle datagram flows. A lookup is a flow of its own, kept for seconds after its response, and its state
 * equals that of thousands of others: they share one state, and the flow object is reused.
 */
export class IdleDatagramFlows {
  readonly #known: IdleDatagramState[] = []
  readonly #pool: DatagramFlow[] = []
  /** The last state after the first call of a flow. */
  #first: IdleDatagramState | undefined

  /** A flow object for a new flow, or for one that was idle. */
  acquire(flow: Flow, idleState: IdleDatagramState | undefined): DatagramFlow {
    const datagrams = this.#pool.pop() ?? new DatagramFlow(flow)
    datagrams.resume(flow, idleState)
    return datagrams
  }

  /** The shared state that replaces this flow object; undefined if the flow is not idle or not like others. */
  of(datagrams: DatagramFlow): IdleDatagramState | undefined {
    const { ordinal, resumed } = datagrams
    if (ordinal === 0 || ordinal > MAX_CALLS || !datagrams.idle || datagrams.sidesSwapped || !datagrams.asked)
      return undefined
    let idleState = resumed === undefined ? this.#first : resumed.next
    if (idleState?.is(datagrams) !== true) {
      idleState = this.#find(datagrams)
      if (idleState === undefined) return undefined
      if (resumed === undefined) this.#first = idleState
      else resumed.next = idleState
    }
    if (this.#pool.length < MAX_POOLED) this.#pool.push(datagrams)
    return idleState
  }

  #find(datagrams: DatagramFlow): IdleDatagramState | undefined {
    const { protocol, read } = datagrams
    const found = this.#known.find((known) => known.is(datagrams))
    if (found !== undefined || protocol === undefined || read === undefined) return found
    if (this.#known.length === MAX_KINDS) return undefined
    const made = new IdleDatagramState(
      protocol,
      read,
      datagrams.protocols,
      datagrams.protocolsSeen,
      datagrams.ordinal,
    )
    this.#known.push(made)
    return made
  }
}
