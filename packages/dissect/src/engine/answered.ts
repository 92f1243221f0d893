import type { Flow } from '@tapdeck/wire'
import type { DatagramReader, Dissector } from '../dissector.ts'
import { PlainFlow } from './plain-flow.ts'

/** Flows with more calls than these keep what they have. */
const MOST_CALLS = 16
/** Kinds of flows that are told apart: more than protocols and numbers of calls make. */
const MOST_KINDS = 64
/** As many flows as may be asked at once without a new object for each. */
const MOST_SPARE = 256

/** All that must be known of a flow of datagrams in which every question was answered; the same for all that had as many. */
export class Answered {
  readonly protocol: Dissector
  readonly read: DatagramReader
  readonly protocols: readonly string[]
  readonly spoken: readonly string[]
  readonly ordinal: number
  /** The same after one call more. */
  next: Answered | undefined

  constructor(
    protocol: Dissector,
    read: DatagramReader,
    protocols: readonly string[],
    spoken: readonly string[],
    ordinal: number,
  ) {
    this.protocol = protocol
    this.read = read
    this.protocols = protocols
    this.spoken = spoken
    this.ordinal = ordinal
    this.next = undefined
  }

  is({ protocol, read, protocols, spoken, ordinal }: PlainFlow): boolean {
    return (
      this.ordinal === ordinal &&
      this.protocol === protocol &&
      this.read === read &&
      this.protocols === protocols &&
      this.spoken === spoken
    )
  }
}

/**
 * A lookup of a name has a flow of its own, which is remembered for seconds after its answer. What the engine knows of it then
 * is what it knows of all others: they share it, and what each had for itself goes on to the next one that is asked.
 */
export class Answers {
  readonly #known: Answered[] = []
  readonly #spare: PlainFlow[] = []
  /** After the first call of a flow, as it was last. */
  #first: Answered | undefined

  /** Who goes on with a new flow, or with one in which all was answered. */
  follow(flow: Flow, answered: Answered | undefined): PlainFlow {
    const plain = this.#spare.pop() ?? new PlainFlow(flow)
    plain.resume(flow, answered)
    return plain
  }

  /** What such a flow may keep instead of all that it has, which is then another's; undefined where it is not like others. */
  of(plain: PlainFlow): Answered | undefined {
    const { ordinal, resumed } = plain
    if (ordinal === 0 || ordinal > MOST_CALLS || !plain.idle || plain.turned || !plain.asked) return undefined
    let answered = resumed === undefined ? this.#first : resumed.next
    if (answered?.is(plain) !== true) {
      answered = this.#find(plain)
      if (answered === undefined) return undefined
      if (resumed === undefined) this.#first = answered
      else resumed.next = answered
    }
    if (this.#spare.length < MOST_SPARE) this.#spare.push(plain)
    return answered
  }

  #find(plain: PlainFlow): Answered | undefined {
    const { protocol, read } = plain
    const found = this.#known.find((known) => known.is(plain))
    if (found !== undefined || protocol === undefined || read === undefined) return found
    if (this.#known.length === MOST_KINDS) return undefined
    const made = new Answered(protocol, read, plain.protocols, plain.spoken, plain.ordinal)
    this.#known.push(made)
    return made
  }
}
