import type { Flow, Side } from '@tapdeck/wire'
import { DatagramMessage } from '../datagram-message.ts'
import type { DatagramReader, Dissector } from '../dissector.ts'
import type { Message } from '../message.ts'
import type { Answered } from './answered.ts'
import { tell } from './call-draft.ts'
import type { EngineContext } from './engine-context.ts'
import { BURDEN, weigh } from './waiting.ts'

const NO_NAMES: readonly string[] = []

/**
 * A flow of datagrams as long as nothing happens in it but questions and their answers. A lookup of a name has a flow of its own,
 * and thousands of them are remembered for late packets: while a question waits this is all that each costs, and then not even
 * this (`Answered`). At the first thing out of the ordinary a `FollowedFlow` goes on in its place, until that has nothing left to
 * keep.
 */
export class PlainFlow {
  flow: Flow
  protocols: readonly string[] = NO_NAMES
  spoken: readonly string[] = NO_NAMES
  /** The protocol's sides are the flow's exchanged. */
  turned = false
  ordinal = 0
  /** A request or a response has come. */
  asked = false
  /** Its place in the engine's list of flows that have something that may expire; -1: not listed. */
  watchedAt = -1
  /** Undefined before the first datagram. */
  protocol: Dissector | undefined
  /** How its datagrams are read, once its protocol is known. */
  read: DatagramReader | undefined
  /** What it goes on from, where all was answered before. */
  resumed: Answered | undefined
  /** Questions of the client that wait: resolvers ask for both kinds of addresses at once. */
  #first: Message | undefined
  #second: Message | undefined

  constructor(flow: Flow) {
    this.flow = flow
  }

  /** Goes on with a flow in which all was answered, or with a new one. */
  resume(flow: Flow, answered: Answered | undefined): void {
    const protocols = answered === undefined ? NO_NAMES : answered.protocols
    const spoken = answered === undefined ? NO_NAMES : answered.spoken
    this.flow = flow
    // It mostly comes from a flow of the same kind: storing the same pointer again is told to the collector each time.
    if (this.resumed !== answered) this.resumed = answered
    if (this.protocol !== answered?.protocol) this.protocol = answered?.protocol
    if (this.read !== answered?.read) this.read = answered?.read
    if (this.protocols !== protocols) this.protocols = protocols
    if (this.spoken !== spoken) this.spoken = spoken
    this.ordinal = answered === undefined ? 0 : answered.ordinal
    this.asked = answered !== undefined
  }

  /** Whether nothing waits. */
  get idle(): boolean {
    return this.#first === undefined
  }

  /** Goes on with what a flow was found to speak. */
  follow(protocol: Dissector): boolean {
    this.protocol = protocol
    this.read = protocol.datagrams?.(this.flow)
    return this.read !== undefined
  }

  /** False where this is none of the ordinary; then nothing was done with it. */
  datagram(
    side: Side,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    engine: EngineContext,
  ): boolean {
    if (this.read === undefined && !this.#recognise(side, bytes, start, end, engine)) return false
    const { read } = this
    if (read === undefined) return false
    const { frame } = engine
    frame.set(bytes, start, end, length, time, time)
    let message: Message
    try {
      message = read(frame, engine.arena)
    } catch {
      return false
    }
    if (message.start === undefined) message.start = time
    if (message.end === undefined) message.end = time
    message.size = length
    const fromClient = (side === 0) !== this.turned
    if (message.kind === 'request') return fromClient && this.#ask(message, engine)
    if (message.kind === 'response') return !fromClient && this.#answer(message, engine)
    this.#tell(fromClient ? 0 : 1, message, undefined, engine)
    return true
  }

  /** Lets go of the questions that wait: they are somebody else's from now on. */
  release(engine: EngineContext): readonly Message[] {
    const waiting: Message[] = []
    for (const asked of [this.#first, this.#second]) {
      if (asked === undefined) continue
      engine.budget.give(BURDEN + weigh(asked))
      waiting.push(asked)
    }
    this.#first = undefined
    this.#second = undefined
    engine.unwatch(this)
    return waiting
  }

  /** Only the protocol that the ports hint at is asked, and only whether it is what it seems to be. */
  #recognise(side: Side, bytes: Uint8Array, start: number, end: number, engine: EngineContext): boolean {
    const [hinted] = engine.candidates.of(this.flow)
    if (hinted?.datagrams === undefined) return false
    try {
      if (hinted.probe(bytes, start, end, side, this.flow.transport) !== 'yes') return false
    } catch {
      return false
    }
    this.protocols = engine.candidates.names(NO_NAMES, hinted.name)
    return this.follow(hinted)
  }

  #ask(message: Message, engine: EngineContext): boolean {
    const { key } = message
    if (key === undefined || message.more || this.#second !== undefined) return false
    const { budget } = engine
    const weight = BURDEN + weightOf(message)
    // Whoever goes on counts what is refused.
    if (budget.used + weight > budget.ceiling || !budget.take(weight)) return false
    this.asked = true
    if (this.#first === undefined) {
      this.#first = message
      engine.watch(this)
    } else this.#second = message
    return true
  }

  #answer(message: Message, engine: EngineContext): boolean {
    const { key } = message
    const first = this.#first
    if (key === undefined || message.more || first === undefined) return false
    if (first.key === key) {
      this.#first = this.#second
      this.#second = undefined
      this.#pair(first, message, engine)
      return true
    }
    const second = this.#second
    if (second?.key !== key) return false
    this.#second = undefined
    this.#pair(second, message, engine)
    return true
  }

  #pair(asked: Message, answered: Message, engine: EngineContext): void {
    engine.budget.give(BURDEN + weightOf(asked))
    if (this.#first === undefined) engine.unwatch(this)
    this.#tell(0, asked, answered, engine)
  }

  #tell(side: Side, request: Message, response: Message | undefined, engine: EngineContext): void {
    const { protocol } = this
    if (protocol === undefined) return
    const { name } = protocol
    const ordinal = this.ordinal++
    if (!engine.wants(name)) return
    if (this.spoken[0] !== name) this.spoken = engine.candidates.names(this.spoken, name)
    tell(engine, protocol, name, this.flow, ordinal, (side === 1) !== this.turned ? 1 : 0, request, response)
  }
}

function weightOf(message: Message): number {
  return message instanceof DatagramMessage ? message.headEnd - message.headAt : weigh(message)
}
