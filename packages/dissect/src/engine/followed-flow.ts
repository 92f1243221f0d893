import { Malformed, type Side } from '@tapdeck/wire'
import type { MissingHalf } from '../call.ts'
import { ANY_PROTOCOL, type Conversation, type Dissector } from '../dissector.ts'
import type { Handoff, Message } from '../message.ts'
import { tell } from './call-draft.ts'
import { cutAnswer, ENDS, endOf } from './cut-answer.ts'
import type { EngineContext } from './engine-context.ts'
import type { FramedFlow } from './frame-reader.ts'
import type { HalfStream } from './half-stream.ts'
import { Halves } from './halves.ts'
import { Pairing, type PairingFlow } from './pairing.ts'
import { PlainFlow } from './plain-flow.ts'
import { giveUp, recognise, recogniseDatagram, sampleOf } from './recognition.ts'
import { badEnd, unrecognised } from './unrecognised.ts'

/** Bits of a flow: its protocol is known; nothing more is read. */
const FOLLOWING = 1
const OVER = 2
/** Bytes have come, a message of its protocol, a request or a response. */
const PAYLOAD = 4
const HEARD = 8
const ASKED = 16

/** Datagrams in a row that a protocol may fail to read before it loses its flow. */
const BAD_DATAGRAMS = 8
const NOTHING = new Uint8Array(0)
const NO_NAMES: readonly string[] = []

/**
 * One flow on its way from bytes to calls. Halves and pairings go by the sides of the protocol: where it was guessed
 * wrongly who the client is, `turned` says that these are the flow's sides exchanged.
 */
export class FollowedFlow extends Halves implements FramedFlow, PairingFlow {
  /** Names of the protocols recognised in it, in order. */
  protocols: readonly string[] = NO_NAMES
  /** Protocols of the calls that it had so far, in order. */
  spoken: readonly string[] = NO_NAMES
  /** Its place in the engine's list of flows that have something that may expire; -1: not listed. */
  watchedAt = -1
  /** How its protocol is read, while it is. */
  conversation: Conversation | undefined
  /** Requests of the client, and those of the server. */
  #clientPairing: Pairing | undefined
  #serverPairing: Pairing | undefined
  #protocol: Dissector | undefined
  #state = 0
  #ordinal = 0
  #failure: string | undefined
  #badDatagrams = 0

  /** Goes on where a flow was no longer plain. */
  static wake(plain: PlainFlow, engine: EngineContext): FollowedFlow {
    const woken = new FollowedFlow(plain.flow, engine)
    const { protocol, ordinal } = plain
    const waiting = plain.release(engine)
    const messages = ordinal + waiting.length
    woken.protocols = plain.protocols
    woken.spoken = plain.spoken
    woken.turned = plain.turned
    woken.#ordinal = ordinal
    woken.#state = (messages > 0 ? PAYLOAD | HEARD : 0) | (plain.asked ? ASKED : 0)
    if (protocol !== undefined) woken.#follow(protocol)
    for (const message of waiting) woken.#pairing(0).request(message)
    return woken
  }

  /** What is left of it until the next datagram; undefined where more must be kept than that. */
  doze(): PlainFlow | undefined {
    const protocol = this.#protocol
    if (protocol?.datagrams === undefined || !this.#is(FOLLOWING)) return undefined
    if (this.#clientPairing?.idle === false || this.#serverPairing?.idle === false) return undefined
    if (this.#ordinal === 0 || this.#badDatagrams > 0) return undefined
    this.leaveHalves()
    this.settle()
    this.engine.unwatch(this)
    const plain = new PlainFlow(this.flow)
    plain.protocols = this.protocols
    plain.spoken = this.spoken
    plain.turned = this.turned
    plain.ordinal = this.#ordinal
    plain.asked = this.#is(ASKED)
    plain.follow(protocol)
    return plain
  }

  data(side: Side, bytes: Uint8Array, start: number, end: number, time: number): void {
    this.#state |= PAYLOAD
    if (this.#is(OVER)) return
    const half = this.half(side)
    const before = this.conversation
    half.last = time
    this.#read(half, bytes, start, end, time)
    if (this.conversation !== before) this.#read(half, NOTHING, 0, 0, time)
    this.#goOn(half, time)
  }

  gap(side: Side, missing: number, time: number, cut: boolean): void {
    if (this.#is(OVER)) return
    const half = this.half(side)
    const { conversation } = this
    if (conversation === undefined) {
      half.miss(time, cut)
      giveUp(half, this.flow, this)
      this.#stopIfDeaf()
      return
    }
    const wasAligned = half.footing === 'aligned'
    const goesOn = this.engine.reader.gap(this, conversation, half, missing, time)
    half.miss(time, cut)
    if (half.footing === 'aligned') return
    this.lost(half)
    if (wasAligned && !goesOn) this.#stop()
  }

  unseen(side: Side, missing: number): void {
    const half = this.half(side)
    if (this.#is(OVER) || (half.footing === 'aligned' && half.length - half.passed >= missing)) return
    half.miss(this.flow.last, false)
    this.lost(half)
  }

  datagram(side: Side, bytes: Uint8Array, start: number, end: number, length: number, time: number): void {
    this.#state |= PAYLOAD
    if (this.#is(OVER)) return
    const half = this.half(side)
    half.last = time
    if (!this.#is(FOLLOWING)) {
      const finding = recogniseDatagram(half, this.flow, this.engine, !this.#is(HEARD), bytes, start, end)
      if (finding.kind !== 'found') {
        if (half.footing === 'deaf') this.#stop()
        return
      }
      if (finding.side !== half.side) this.#turn()
      this.#open(finding.protocol)
    }
    const { conversation } = this
    if (conversation !== undefined)
      this.engine.reader.decode(this, conversation, half, bytes, start, end, length, time, time)
  }

  finish(side: Side, time: number): void {
    const half = this.half(side)
    if (half.finished) return
    half.finished = true
    if (this.conversation !== undefined) {
      this.#state |= endOf(this.flow, half, side)
      this.engine.reader.finish(this, this.conversation, half)
      this.#state &= ~ENDS
    }
    this.#goOn(half, time)
  }

  close(time: number): void {
    // The answering side last: a response may complete a request that the other side's end has cut.
    this.finish(this.turned ? 1 : 0, time)
    this.finish(this.turned ? 0 : 1, time)
    this.#clientPairing?.close()
    this.#serverPairing?.close()
    if (this.protocols.length === 0 && this.#ordinal === 0) this.#tellUnrecognised()
    this.#stop()
    this.leaveHalves()
    this.settle()
    this.engine.unwatch(this)
  }

  /** Gives up what has waited too long; false where nothing waits any more. */
  expire(now: number): boolean {
    this.#clientPairing?.expire(now)
    this.#serverPairing?.expire(now)
    return this.#clientPairing?.idle === false || this.#serverPairing?.idle === false
  }

  decoded(half: HalfStream, decoded: Message | readonly Message[] | Handoff, endTime: number): void {
    this.#badDatagrams = 0
    if (!('kind' in decoded)) for (const message of decoded) this.#accept(half, message, endTime)
    else if (decoded.kind !== 'handoff') this.#accept(half, decoded, endTime)
    else {
      if (decoded.message !== undefined) this.#accept(half, decoded.message, endTime)
      this.#handOver(decoded)
    }
    half.messageStart = -1
    half.messageSize = 0
  }

  lost({ side }: HalfStream): void {
    const asks = side === 0 ? this.#clientPairing : this.#serverPairing
    const answers = side === 0 ? this.#serverPairing : this.#clientPairing
    asks?.requestsLost()
    answers?.responsesLost()
  }

  failed(error: unknown): void {
    const { loss } = this
    loss.malformed_messages = (loss.malformed_messages ?? 0) + 1
    const name = this.#protocol?.name ?? 'unknown'
    if (!(error instanceof Malformed)) this.engine.fault(error, name)
    if (this.flow.transport !== 'tcp' && this.#is(HEARD) && ++this.#badDatagrams < BAD_DATAGRAMS) return
    if (this.#ordinal === 0) {
      this.#clientPairing?.drop()
      this.#serverPairing?.drop()
      this.protocols = NO_NAMES
      this.#failure = `malformed ${name}: ${error instanceof Malformed ? error.message : 'fault'}`
    }
    this.#stop()
  }

  pair(side: Side, request: Message | undefined, response: Message | undefined, missing?: MissingHalf): void {
    const protocol = request?.protocol ?? response?.protocol ?? this.#protocol?.name ?? this.flow.transport
    const ordinal = this.#ordinal++
    if (!this.engine.wants(protocol)) return
    const { spoken } = this
    if (spoken[0] !== protocol && !spoken.includes(protocol))
      this.spoken = this.engine.candidates.names(spoken, protocol)
    const flowSide: Side = (side === 1) !== this.turned ? 1 : 0
    const mine = this.#protocol
    const dissector = mine?.name === protocol ? mine : (this.engine.candidates.named(protocol) ?? mine)
    const cut = response?.truncated === true ? cutAnswer(this.#state, side) : undefined
    tell(this.engine, dissector, protocol, this.flow, ordinal, flowSide, request, response, missing, cut)
  }

  #is(bit: number): boolean {
    return (this.#state & bit) !== 0
  }

  /** What the other side said may have waited for this one. */
  #goOn(half: HalfStream, time: number): void {
    const other = this.facing(half.side)
    if (other === undefined || other.held === 0 || other.length > 0) return
    this.#read(other, NOTHING, 0, 0, time)
  }

  #read(half: HalfStream, bytes: Uint8Array, start: number, end: number, time: number): void {
    let at = start
    do {
      const { conversation } = this
      if (conversation !== undefined) {
        if (
          half.footing === 'adrift' &&
          conversation.resync === undefined &&
          !this.#begins(half, bytes, at, end)
        )
          return
        at = this.engine.reader.read(this, conversation, half, bytes, at, end, time)
      } else if (!this.#is(FOLLOWING | OVER)) at = this.#detect(half, bytes, at, end, time)
      else return
    } while (at < end)
  }

  /** A protocol that cannot find its next frame may still recognise its beginning. */
  #begins(half: HalfStream, bytes: Uint8Array, start: number, end: number): boolean {
    if (start === end || this.#protocol?.probe(bytes, start, end, half.side, 'tcp') !== 'yes') return false
    half.footing = 'aligned'
    return true
  }

  #detect(half: HalfStream, bytes: Uint8Array, start: number, end: number, time: number): number {
    if (half.footing === 'deaf' || (start === end && half.held === 0)) return end
    const guessed = this.flow.midstream && !this.#is(HEARD)
    const { finding, taken } = recognise(half, this.flow, this.engine, this, guessed, bytes, start, end, time)
    if (finding.kind === 'found') {
      if (finding.side !== half.side) this.#turn()
      this.#open(finding.protocol)
      half.footing = 'aligned'
      return start + taken
    }
    this.#stopIfDeaf()
    return end
  }

  #stopIfDeaf(): void {
    if (this.client?.footing === 'deaf' && this.server?.footing === 'deaf') this.#stop()
  }

  #open(protocol: Dissector, context?: Handoff['context']): void {
    this.protocols = this.engine.candidates.names(this.protocols, protocol.name)
    if (context !== undefined) this.context = context
    this.#follow(protocol)
  }

  #follow(protocol: Dissector): void {
    this.#state |= FOLLOWING
    this.#protocol = protocol
    try {
      this.conversation = protocol.open(this)
    } catch (error) {
      this.failed(error)
    }
    if (this.client !== undefined) this.#enter(this.client, protocol)
    if (this.server !== undefined) this.#enter(this.server, protocol)
  }

  #enter(half: HalfStream, protocol: Dissector): void {
    const { doubt } = half
    if (doubt !== undefined) doubt.sample = undefined
    // Bytes that this protocol has disowned before are none of it: the other side found it.
    if (doubt?.candidates !== undefined && !doubt.candidates.includes(protocol)) half.clear(this)
    else if (half.footing !== 'deaf') return
    half.footing = 'adrift'
  }

  #handOver(handoff: Handoff): void {
    this.conversation = undefined
    this.#clientPairing?.close()
    this.#serverPairing?.close()
    this.#clientPairing = undefined
    this.#serverPairing = undefined
    if (this.client !== undefined) this.#leave(this.client)
    if (this.server !== undefined) this.#leave(this.server)
    this.#state &= ~FOLLOWING
    if (handoff.to === ANY_PROTOCOL) return
    const next = this.engine.candidates.named(handoff.to)
    if (next === undefined) this.#stop()
    else this.#open(next, { protocol: this.#protocol?.name, ...handoff.context })
  }

  #leave(half: HalfStream): void {
    half.doubt = undefined
    if (half.length === 0) return
    half.clear(this)
    half.footing = 'adrift'
  }

  #stop(): void {
    this.#state = (this.#state | OVER) & ~FOLLOWING
    this.conversation = undefined
    this.client?.clear(this)
    this.server?.clear(this)
  }

  #accept(half: HalfStream, message: Message, endTime: number): void {
    if (message.start === undefined) message.start = half.messageStart < 0 ? endTime : half.messageStart
    if (message.end === undefined) message.end = endTime
    if (message.size === undefined && half.messageSize > 0) {
      message.size = half.messageSize
      half.messageSize = 0
    }
    const { loss } = this
    if (message.truncated && message.bodySize !== undefined)
      loss.truncated_bodies = (loss.truncated_bodies ?? 0) + message.bodySize - (message.body?.length ?? 0)
    this.#state |= HEARD
    const side = message.from ?? half.side
    if (message.kind === 'event') {
      this.pair(side, message, undefined)
      return
    }
    // Who asks and who answers says who the client is; servers push, too.
    const first = !this.#is(ASKED)
    this.#state |= ASKED
    if (message.kind === 'response') {
      this.#pairing(side === 0 ? 1 : 0).response(message)
      return
    }
    if (first && side === 1 && (this.flow.midstream || this.flow.transport !== 'tcp')) this.#flip()
    this.#pairing(side).request(message)
  }

  #pairing(side: Side): Pairing {
    if (this.watchedAt < 0) this.engine.watch(this)
    const pairing = side === 0 ? this.#clientPairing : this.#serverPairing
    if (pairing !== undefined) return pairing
    const made = new Pairing(this, side)
    // What was lost before anything was recognised may have held requests.
    if (this.client?.trouble?.gapTime !== undefined || this.server?.trouble?.gapTime !== undefined)
      made.requestsLost()
    if (side === 0) this.#clientPairing = made
    else this.#serverPairing = made
    return made
  }

  /** The protocol's sides are the other way round, and so are probably the flow's. */
  #turn(): void {
    this.turn()
    this.#flip()
  }

  #flip(): void {
    if (this.engine.flip(this.flow)) this.turned = !this.turned
  }

  #tellUnrecognised(): void {
    const { flow } = this
    if (flow.transport === 'icmp' || !this.engine.wants(flow.transport)) return
    if (!this.#is(PAYLOAD) && badEnd(flow) === undefined) return
    this.engine.emit(unrecognised(flow, [sampleOf(this.half(0)), sampleOf(this.half(1))], this.#failure))
  }
}
