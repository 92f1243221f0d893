import type { Flow, Side } from '@tapdeck/wire'
import type { DatagramReader, Dissector, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { DatagramMessage } from '../../message/datagram-message.ts'
import type { EngineContext } from '../engine-context.ts'
import { draftCall, emitCall } from '../pair/emit-call.ts'
import { MESSAGE_OVERHEAD, messageCost } from '../pair/pending-call.ts'
import type { IdleDatagramState } from './idle-datagram-state.ts'

const NO_NAMES: readonly string[] = []

/**
 * A flow of datagrams that has only requests and responses so far. Each DNS lookup is a flow of its own, and
 * thousands are kept for late packets, so this is small, and an idle flow shares an `IdleDatagramState` instead. At
 * the first unusual datagram a `FollowedFlow` replaces it.
 */
export class DatagramFlow {
  flow: Flow
  protocols: readonly string[] = NO_NAMES
  protocolsSeen: readonly string[] = NO_NAMES
  /** The protocol's client is the flow's server. */
  sidesSwapped = false
  ordinal = 0
  /** A request or a response has come. */
  asked = false
  /** Index in the engine's list of flows with pending requests; -1: not listed. */
  watchedAt = -1
  /** Undefined before the first datagram. */
  protocol: Dissector | undefined
  /** Reads its datagrams; undefined until the protocol is detected. */
  read: DatagramReader | undefined
  /** The state it was restored from. */
  resumed: IdleDatagramState | undefined
  /** Pending requests of the client: resolvers ask for A and AAAA at once. */
  #first: Message | undefined
  #second: Message | undefined

  constructor(flow: Flow) {
    this.flow = flow
  }

  /** Continues an idle flow, or starts a new one. */
  resume(flow: Flow, idleState: IdleDatagramState | undefined): void {
    const protocols = idleState === undefined ? NO_NAMES : idleState.protocols
    const protocolsSeen = idleState === undefined ? NO_NAMES : idleState.protocolsSeen
    this.flow = flow
    // Skip redundant stores: each costs a GC write barrier, and most flows are of the same kind.
    if (this.resumed !== idleState) this.resumed = idleState
    if (this.protocol !== idleState?.protocol) this.protocol = idleState?.protocol
    if (this.read !== idleState?.read) this.read = idleState?.read
    if (this.protocols !== protocols) this.protocols = protocols
    if (this.protocolsSeen !== protocolsSeen) this.protocolsSeen = protocolsSeen
    this.ordinal = idleState === undefined ? 0 : idleState.ordinal
    this.asked = idleState !== undefined
  }

  /** Whether no request is pending. */
  get idle(): boolean {
    return this.#first === undefined
  }

  /** Sets the detected protocol. */
  follow(protocol: Dissector): boolean {
    this.protocol = protocol
    this.read = protocol.datagrams?.(this.flow)
    return this.read !== undefined
  }

  /** Returns false for an unusual datagram, which it leaves untouched. */
  datagram(side: Side, frame: Frame, engine: EngineContext): boolean {
    const { time, length } = frame
    if (this.read === undefined && !this.#detect(side, frame, engine)) return false
    const { read } = this
    if (read === undefined) return false
    let message: Message
    try {
      message = read(frame, engine.arena)
    } catch {
      return false
    }
    if (message.start === undefined) message.start = time
    if (message.end === undefined) message.end = time
    message.size = length
    const fromClient = (side === 0) !== this.sidesSwapped
    if (message.kind === 'request') return fromClient && this.#request(message, engine)
    if (message.kind === 'response') return !fromClient && this.#response(message, engine)
    this.#emitCall(fromClient ? 0 : 1, message, undefined, engine)
    return true
  }

  /** Hands its pending requests to the caller. */
  release(engine: EngineContext): readonly Message[] {
    const waiting: Message[] = []
    for (const asked of [this.#first, this.#second]) {
      if (asked === undefined) continue
      engine.budget.give(MESSAGE_OVERHEAD + messageCost(asked))
      waiting.push(asked)
    }
    this.#first = undefined
    this.#second = undefined
    engine.unwatch(this)
    return waiting
  }

  /** Probes only the protocol that the ports hint at. */
  #detect(side: Side, { bytes, start, end }: Frame, engine: EngineContext): boolean {
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

  #request(message: Message, engine: EngineContext): boolean {
    const { key } = message
    if (key === undefined || message.more || this.#second !== undefined) return false
    const { budget } = engine
    const cost = MESSAGE_OVERHEAD + costOf(message)
    // Do not count a refusal here: the full flow will.
    if (budget.used + cost > budget.ceiling || !budget.take(cost)) return false
    this.asked = true
    if (this.#first === undefined) {
      this.#first = message
      engine.watch(this)
    } else this.#second = message
    return true
  }

  #response(message: Message, engine: EngineContext): boolean {
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

  #pair(request: Message, response: Message, engine: EngineContext): void {
    engine.budget.give(MESSAGE_OVERHEAD + costOf(request))
    if (this.#first === undefined) engine.unwatch(this)
    this.#emitCall(0, request, response, engine)
  }

  #emitCall(side: Side, request: Message, response: Message | undefined, engine: EngineContext): void {
    const { protocol } = this
    if (protocol === undefined) return
    const { name } = protocol
    const ordinal = this.ordinal++
    if (!engine.isEnabled(name)) return
    if (this.protocolsSeen[0] !== name) this.protocolsSeen = engine.candidates.names(this.protocolsSeen, name)
    const flowSide = (side === 1) !== this.sidesSwapped ? 1 : 0
    emitCall(engine, protocol, draftCall(this.flow, ordinal, flowSide, name, request, response))
  }
}

function costOf(message: Message): number {
  return message instanceof DatagramMessage ? message.headEnd - message.headAt : messageCost(message)
}
