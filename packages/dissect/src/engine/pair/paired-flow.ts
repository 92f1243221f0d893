import type { Side } from '@tapdeck/wire'
import type { MissingMessage, TlsSession } from '../../contract/call.ts'
import type { Dissector } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import type { PlaintextParent, Watched } from '../engine-context.ts'
import type { DirectionBuffer } from '../frame/direction-buffer.ts'
import { FlowDirections } from '../frame/flow-directions.ts'
import { cutResponseReason } from './cut-response.ts'
import { draftCall, emitCall } from './emit-call.ts'
import { Pairing, type PairingFlow } from './pairing.ts'

const NO_NAMES: readonly string[] = []

/** A flow from messages to calls: pairs the requests of each side with the responses of the other. */
export class PairedFlow extends FlowDirections implements PairingFlow, PlaintextParent, Watched {
  /** Protocols of the calls so far, in order. */
  protocolsSeen: readonly string[] = NO_NAMES
  /** Index in the engine's list of flows with pending requests; -1: not listed. */
  watchedAt = -1
  protected protocol: Dissector | undefined
  /** Bits, see `FollowedFlow` and `endBits`. */
  protected state = 0
  /** Number of calls so far. */
  protected ordinal = 0
  /** Pairings for requests of the client, and of the server. */
  #clientPairing: Pairing | undefined
  #serverPairing: Pairing | undefined

  /** Whether no request waits for its response. */
  protected get isPairingIdle(): boolean {
    return this.#clientPairing?.idle !== false && this.#serverPairing?.idle !== false
  }

  /** The pairing of requests of a side (protocol side). */
  protected pairing(side: Side): Pairing {
    if (this.watchedAt < 0) this.engine.watch(this)
    const pairing = side === 0 ? this.#clientPairing : this.#serverPairing
    if (pairing !== undefined) return pairing
    const made = new Pairing(this, side)
    // Bytes lost before detection may have contained requests.
    if (this.client?.gapState?.gapTime !== undefined || this.server?.gapState?.gapTime !== undefined)
      made.requestsLost()
    if (side === 0) this.#clientPairing = made
    else this.#serverPairing = made
    return made
  }

  protected expirePairings(now: number): void {
    this.#clientPairing?.expire(now)
    this.#serverPairing?.expire(now)
  }

  /** Emits the requests that wait. */
  protected closePairings(): void {
    this.#clientPairing?.close()
    this.#serverPairing?.close()
  }

  /** Another protocol begins, with pairings of its own. */
  protected forgetPairings(): void {
    this.closePairings()
    this.#clientPairing = undefined
    this.#serverPairing = undefined
  }

  /** Forgets the requests that wait without emitting them. */
  protected dropPairings(): void {
    this.#clientPairing?.drop()
    this.#serverPairing?.drop()
  }

  /** Bytes of a direction were lost. */
  lost({ side }: DirectionBuffer): void {
    const asks = side === 0 ? this.#clientPairing : this.#serverPairing
    const answers = side === 0 ? this.#serverPairing : this.#clientPairing
    asks?.requestsLost()
    answers?.responsesLost()
  }

  /** What a direction sends is not the response that was waited for. */
  protected answerMalformed({ side }: DirectionBuffer): void {
    const answered = side === 0 ? this.#serverPairing : this.#clientPairing
    if (answered?.idle === false) answered.responseMalformed()
  }

  pair(
    side: Side,
    request: Message | undefined,
    response: Message | undefined,
    missing?: MissingMessage,
  ): void {
    const protocol = request?.protocol ?? response?.protocol ?? this.protocol?.name ?? this.flow.transport
    const ordinal = this.takeOrdinal()
    if (!this.engine.isEnabled(protocol)) return
    const { protocolsSeen } = this
    if (protocolsSeen[0] !== protocol && !protocolsSeen.includes(protocol))
      this.protocolsSeen = this.engine.candidates.names(protocolsSeen, protocol)
    const flowSide: Side = (side === 1) !== this.sidesSwapped ? 1 : 0
    const mine = this.protocol
    const dissector = mine?.name === protocol ? mine : (this.engine.candidates.named(protocol) ?? mine)
    const cut = response?.truncated === true ? cutResponseReason(this.state, side) : undefined
    const call = draftCall(this.flow, ordinal, flowSide, protocol, request, response)
    call.missing = missing
    call.tls = this.session()
    emitCall(this.engine, dissector, call, cut)
  }

  takeOrdinal(): number {
    return this.ordinal++
  }

  /** The TLS connection that this flow was decrypted from. */
  protected session(): TlsSession | undefined {
    return undefined
  }
}
