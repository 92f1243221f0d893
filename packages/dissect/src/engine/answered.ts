import type { Dissector } from '../dissector.ts'
import type { PlainFlow } from './plain-flow.ts'

/** Flows with more calls than these keep what they have. */
const MOST_CALLS = 16

/** All that must be known of a flow of datagrams in which every question was answered; the same for all that had as many. */
export class Answered {
  readonly protocol: Dissector
  readonly protocols: readonly string[]
  readonly spoken: readonly string[]
  readonly ordinal: number

  constructor(protocol: Dissector, protocols: readonly string[], spoken: readonly string[], ordinal: number) {
    this.protocol = protocol
    this.protocols = protocols
    this.spoken = spoken
    this.ordinal = ordinal
  }
}

/**
 * A lookup of a name has a flow of its own, which is remembered for seconds after its answer. What the engine knows of it then
 * is what it knows of all others: they share it, and what each had for itself is over before the collector has ever moved it.
 */
export class Answers {
  readonly #byProtocol = new Map<Dissector, (Answered | undefined)[]>()

  /** What such a flow may keep instead of all that it has; undefined where it is not like others. */
  of(plain: PlainFlow): Answered | undefined {
    const { protocol, ordinal } = plain
    if (protocol === undefined || ordinal === 0 || ordinal > MOST_CALLS) return undefined
    if (!plain.idle || plain.turned || !plain.asked) return undefined
    let shared = this.#byProtocol.get(protocol)
    if (shared === undefined) {
      shared = new Array<Answered | undefined>(MOST_CALLS + 1).fill(undefined)
      this.#byProtocol.set(protocol, shared)
    }
    const { protocols, spoken } = plain
    let answered = shared[ordinal]
    if (answered === undefined) {
      answered = new Answered(protocol, protocols, spoken, ordinal)
      shared[ordinal] = answered
    }
    return answered.protocols === protocols && answered.spoken === spoken ? answered : undefined
  }
}
