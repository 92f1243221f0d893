import { type Datagram, Malformed, type Side } from '@tapdeck/wire'
import type { TlsSession } from '../contract/call.ts'
import { ANY_PROTOCOL, type Conversation, type Dissector, type PlaintextSink } from '../contract/dissector.ts'
import type { Handoff, Message } from '../contract/message.ts'
import { DatagramFlow } from './datagram/datagram-flow.ts'
import { detect, detectDatagram, rejectBytes, sampleOf } from './detect/detection.ts'
import { badEnd, unrecognised } from './detect/unrecognised.ts'
import type { EngineContext, PlaintextFlow } from './engine-context.ts'
import type { DirectionBuffer } from './frame/direction-buffer.ts'
import type { FramedFlow } from './frame/frame-reader.ts'
import { END_BITS, endBits } from './pair/cut-response.ts'
import { PairedFlow } from './pair/paired-flow.ts'

/** State bits: the protocol is known; nothing more is read. */
const DETECTED = 1
const STOPPED = 2
/** Payload, a message, or a request or response has come. */
const HAS_PAYLOAD = 4
const HAS_MESSAGE = 8
const HAS_EXCHANGE = 16

/** Consecutive malformed datagrams before the protocol is dropped. */
const MAX_BAD_DATAGRAMS = 8
const NOTHING = new Uint8Array(0)
const NO_NAMES: readonly string[] = []

/**
 * A flow from bytes to calls. Buffers and pairings are indexed by the protocol's sides; `sidesSwapped` says that they
 * are the flow's sides exchanged, because the client was guessed wrongly.
 */
export class FollowedFlow extends PairedFlow implements FramedFlow {
  /** Names of detected protocols, in order. */
  protocols: readonly string[] = NO_NAMES
  /** Undefined while no protocol reads this flow. */
  conversation: Conversation | undefined
  #failure: string | undefined
  #badDatagrams = 0
  #plaintext: PlaintextFlow | undefined

  /** Replaces a datagram flow that got an unusual datagram. */
  static restore(datagrams: DatagramFlow, engine: EngineContext): FollowedFlow {
    const restored = new FollowedFlow(datagrams.flow, engine)
    const { protocol, ordinal } = datagrams
    const waiting = datagrams.release(engine)
    const messages = ordinal + waiting.length
    restored.protocols = datagrams.protocols
    restored.protocolsSeen = datagrams.protocolsSeen
    restored.sidesSwapped = datagrams.sidesSwapped
    restored.ordinal = ordinal
    restored.state = (messages > 0 ? HAS_PAYLOAD | HAS_MESSAGE : 0) | (datagrams.asked ? HAS_EXCHANGE : 0)
    if (protocol !== undefined) restored.#follow(protocol)
    for (const message of waiting) restored.pairing(0).request(message)
    return restored
  }

  /** The compact form until the next datagram; undefined if more state must be kept. */
  compact(): DatagramFlow | undefined {
    const protocol = this.protocol
    if (protocol?.datagrams === undefined || !this.#is(DETECTED)) return undefined
    if (!this.isPairingIdle) return undefined
    if (this.ordinal === 0 || this.#badDatagrams > 0) return undefined
    this.releaseBuffers()
    this.settle()
    this.engine.unwatch(this)
    const datagrams = new DatagramFlow(this.flow)
    datagrams.protocols = this.protocols
    datagrams.protocolsSeen = this.protocolsSeen
    datagrams.sidesSwapped = this.sidesSwapped
    datagrams.ordinal = this.ordinal
    datagrams.asked = this.#is(HAS_EXCHANGE)
    datagrams.follow(protocol)
    return datagrams
  }

  data(side: Side, bytes: Uint8Array, start: number, end: number, time: number): void {
    this.state |= HAS_PAYLOAD
    if (this.#is(STOPPED)) return
    const direction = this.buffer(side)
    const before = this.conversation
    direction.last = time
    this.#read(direction, bytes, start, end, time)
    if (this.conversation !== before) this.#read(direction, NOTHING, 0, 0, time)
    this.#resumeOther(direction, time)
  }

  gap(side: Side, missing: number, time: number, cut: boolean): void {
    if (this.#is(STOPPED)) return
    const direction = this.buffer(side)
    const { conversation } = this
    if (conversation === undefined) {
      direction.noteGap(time, cut)
      rejectBytes(direction, this.flow, this)
      this.#stopIfIgnored()
      return
    }
    const wasSynced = direction.sync === 'synced'
    const goesOn = this.engine.reader.gap(this, direction, missing, time)
    direction.noteGap(time, cut)
    if (direction.sync === 'synced') return
    this.lost(direction)
    if (wasSynced && !goesOn) this.#stop()
  }

  unseen(side: Side, missing: number): void {
    const direction = this.buffer(side)
    if (this.#is(STOPPED) || (direction.sync === 'synced' && direction.length - direction.passed >= missing))
      return
    direction.noteGap(this.flow.last, false)
    this.lost(direction)
  }

  datagram(side: Side, { data: bytes, at: start, end, wire, time }: Datagram): void {
    this.state |= HAS_PAYLOAD
    if (this.#is(STOPPED)) return
    const direction = this.buffer(side)
    direction.last = time
    if (!this.#is(DETECTED)) {
      const { flow, engine } = this
      const isClientGuessed = !this.#is(HAS_MESSAGE)
      const outcome = detectDatagram({ direction, flow, engine, isClientGuessed, bytes, start, end })
      if (outcome.kind !== 'found') {
        if (direction.sync === 'ignored') this.#stop()
        return
      }
      if (outcome.side !== direction.side) this.#swapSides()
      this.open(outcome.protocol)
    }
    this.engine.frame.set(bytes, start, end, wire - start, time, time)
    this.engine.reader.decode(this, direction)
  }

  finish(side: Side, time: number): void {
    const direction = this.buffer(side)
    if (direction.finished) return
    direction.finished = true
    if (this.conversation !== undefined) {
      this.state |= endBits(this.flow, direction, side)
      this.engine.reader.finish(this, direction)
      this.state &= ~END_BITS
    }
    this.#resumeOther(direction, time)
  }

  close(time: number): void {
    // The answering side last: its last response may complete a request that the end of the other side has cut.
    this.finish(this.sidesSwapped ? 1 : 0, time)
    this.finish(this.sidesSwapped ? 0 : 1, time)
    this.#closePlaintext(time)
    this.closePairings()
    if (this.protocols.length === 0 && this.ordinal === 0) this.emitUnrecognised()
    this.#stop()
    this.releaseBuffers()
    this.settle()
    this.engine.unwatch(this)
  }

  /** Expires pending requests; returns false when none is left. */
  expire(now: number): boolean {
    this.deliver(this.conversation?.overdue?.(now) ?? [])
    this.expirePairings(now)
    return !this.isPairingIdle
  }

  decoded(
    direction: DirectionBuffer,
    decoded: Message | readonly Message[] | Handoff,
    endTime: number,
  ): void {
    this.#badDatagrams = 0
    if (!('kind' in decoded)) for (const message of decoded) this.#accept(direction, message, endTime)
    else if (decoded.kind !== 'handoff') this.#accept(direction, decoded, endTime)
    else {
      if (decoded.message !== undefined) this.#accept(direction, decoded.message, endTime)
      this.#handOver(decoded)
    }
    direction.messageStart = -1
    direction.messageSize = 0
  }

  deliver(messages: readonly Message[]): void {
    for (const message of messages) this.#accept(this.buffer(message.from ?? 0), message, this.flow.last)
  }

  failed(error: unknown, direction?: DirectionBuffer): void {
    const { loss } = this
    loss.malformed_messages = (loss.malformed_messages ?? 0) + 1
    const name = this.protocol?.name ?? 'unknown'
    if (!(error instanceof Malformed)) this.engine.fault(error, name)
    if (this.flow.transport !== 'tcp' && this.#is(HAS_MESSAGE) && ++this.#badDatagrams < MAX_BAD_DATAGRAMS)
      return
    if (error instanceof Malformed && direction !== undefined) this.answerMalformed(direction)
    if (this.ordinal === 0) {
      this.dropPairings()
      this.protocols = NO_NAMES
      this.#failure = `malformed ${name}: ${error instanceof Malformed ? error.message : 'fault'}`
    }
    this.#stop()
  }

  plaintext(session: () => TlsSession, protocol?: string): PlaintextSink {
    const { openPlaintext } = this.engine
    if (openPlaintext === undefined) throw new Error('plaintext inside of plaintext')
    this.#plaintext ??= openPlaintext(this, session, protocol)
    const flow = this.#plaintext
    const sideOf = (side: Side): Side => ((side === 1) !== this.sidesSwapped ? 1 : 0)
    return {
      data: (side, bytes, time) => flow.data(sideOf(side), bytes, 0, bytes.length, time),
      gap: (side, time) => flow.gap(sideOf(side), Number.MAX_SAFE_INTEGER, time, false),
      finish: (side, time) => flow.finish(sideOf(side), time),
    }
  }

  #closePlaintext(time: number): void {
    const plaintext = this.#plaintext
    if (plaintext === undefined) return
    this.#plaintext = undefined
    plaintext.close(time)
    for (const name of plaintext.protocols)
      this.protocols = this.engine.candidates.names(this.protocols, name)
  }

  #is(bit: number): boolean {
    return (this.state & bit) !== 0
  }

  /** The other side may have waited for these bytes. */
  #resumeOther(direction: DirectionBuffer, time: number): void {
    const other = this.facing(direction.side)
    if (other === undefined || other.held === 0 || other.length > 0) return
    this.#read(other, NOTHING, 0, 0, time)
  }

  #read(direction: DirectionBuffer, bytes: Uint8Array, start: number, end: number, time: number): void {
    let at = start
    do {
      const { conversation } = this
      if (conversation !== undefined) {
        if (
          direction.sync === 'searching' &&
          conversation.resync === undefined &&
          !this.#startsHere(direction, bytes, at, end)
        )
          return
        at = this.engine.reader.read(this, direction, bytes, at, end, time)
      } else if (!this.#is(DETECTED | STOPPED)) at = this.#detect(direction, bytes, at, end, time)
      else return
    } while (at < end)
  }

  /** A protocol without `resync` may still recognise its first bytes. */
  #startsHere(direction: DirectionBuffer, bytes: Uint8Array, start: number, end: number): boolean {
    if (start === end || this.protocol?.probe(bytes, start, end, direction.side, 'tcp') !== 'yes')
      return false
    direction.sync = 'synced'
    return true
  }

  #detect(direction: DirectionBuffer, bytes: Uint8Array, start: number, end: number, time: number): number {
    if (direction.sync === 'ignored' || (start === end && direction.held === 0)) return end
    const { flow, engine } = this
    const isClientGuessed = flow.midstream && !this.#is(HAS_MESSAGE)
    const { outcome, taken } = detect(
      { direction, flow, engine, isClientGuessed, bytes, start, end },
      this,
      time,
    )
    if (outcome.kind === 'found') {
      if (outcome.side !== direction.side) this.#swapSides()
      this.open(outcome.protocol)
      direction.sync = 'synced'
      return start + taken
    }
    this.#stopIfIgnored()
    return end
  }

  #stopIfIgnored(): void {
    if (this.client?.sync === 'ignored' && this.server?.sync === 'ignored') this.#stop()
  }

  protected open(protocol: Dissector, context?: Handoff['context']): void {
    this.protocols = this.engine.candidates.names(this.protocols, protocol.name)
    if (context !== undefined) this.context = context
    this.#follow(protocol)
  }

  #follow(protocol: Dissector): void {
    this.state |= DETECTED
    this.protocol = protocol
    try {
      this.conversation = protocol.open(this)
    } catch (error) {
      this.failed(error)
    }
    if (this.client !== undefined) this.#enter(this.client, protocol)
    if (this.server !== undefined) this.#enter(this.server, protocol)
  }

  #enter(direction: DirectionBuffer, protocol: Dissector): void {
    const { detection } = direction
    if (detection !== undefined) detection.sample = undefined
    // The other side detected a protocol that these bytes have already ruled out, so they belong to something else.
    if (detection?.candidates !== undefined && !detection.candidates.includes(protocol)) direction.clear(this)
    else if (direction.sync !== 'ignored') return
    direction.sync = 'searching'
  }

  #handOver(handoff: Handoff): void {
    this.conversation = undefined
    this.forgetPairings()
    if (this.client !== undefined) this.#leave(this.client)
    if (this.server !== undefined) this.#leave(this.server)
    this.state &= ~DETECTED
    if (handoff.to === ANY_PROTOCOL) return
    const next = this.engine.candidates.named(handoff.to)
    if (next === undefined) this.#stop()
    else this.open(next, { protocol: this.protocol?.name, ...handoff.context })
  }

  #leave(direction: DirectionBuffer): void {
    direction.detection = undefined
    if (direction.length === 0) return
    direction.clear(this)
    direction.sync = 'searching'
  }

  #stop(): void {
    this.state = (this.state | STOPPED) & ~DETECTED
    this.conversation = undefined
    this.client?.clear(this)
    this.server?.clear(this)
  }

  #accept(direction: DirectionBuffer, message: Message, endTime: number): void {
    if (message.start === undefined)
      message.start = direction.messageStart < 0 ? endTime : direction.messageStart
    if (message.end === undefined) message.end = endTime
    if (message.size === undefined && direction.messageSize > 0) {
      message.size = direction.messageSize
      direction.messageSize = 0
    }
    const { loss } = this
    if (message.truncated && message.bodySize !== undefined)
      loss.truncated_bodies = (loss.truncated_bodies ?? 0) + message.bodySize - (message.body?.length ?? 0)
    this.state |= HAS_MESSAGE
    const side = message.from ?? direction.side
    if (message.kind === 'event') {
      this.pair(side, message, undefined)
      return
    }
    // The first request shows who the client is. Servers push, too.
    const first = !this.#is(HAS_EXCHANGE)
    this.state |= HAS_EXCHANGE
    if (message.kind === 'response') {
      this.pairing(side === 0 ? 1 : 0).response(message)
      return
    }
    if (first && side === 1 && (this.flow.midstream || this.flow.transport !== 'tcp')) this.#flip()
    this.pairing(side).request(message)
  }

  /** The protocol's sides are swapped, so the flow's probably are, too. */
  #swapSides(): void {
    this.swapSides()
    this.#flip()
  }

  #flip(): void {
    if (this.engine.flip(this.flow)) this.sidesSwapped = !this.sidesSwapped
  }

  /** Reports a flow in which no protocol was found. */
  protected emitUnrecognised(): void {
    const { flow } = this
    if (flow.transport === 'icmp' || !this.engine.isEnabled(flow.transport)) return
    if (!this.#is(HAS_PAYLOAD) && badEnd(flow) === undefined) return
    this.engine.emit(unrecognised(flow, [sampleOf(this.buffer(0)), sampleOf(this.buffer(1))], this.#failure))
  }
}
