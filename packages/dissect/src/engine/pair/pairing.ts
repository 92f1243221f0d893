import type { Loss, Side } from '@tapdeck/wire'
import type { MissingMessage } from '../../contract/call.ts'
import type { Limits } from '../../contract/limits.ts'
import type { Message } from '../../contract/message.ts'
import type { Allowance } from '../../memory/budget.ts'
import { join } from './join.ts'
import { asTruncated, MESSAGE_OVERHEAD, messageCost, PendingCall, withoutBody } from './pending-call.ts'
import { PendingList } from './pending-list.ts'

/** The flow of a pairing. */
export interface PairingFlow {
  readonly limits: Limits
  readonly loss: Loss
  readonly budget: Allowance
  pair(
    side: Side,
    request: Message | undefined,
    response: Message | undefined,
    missing?: MissingMessage,
  ): void
  /** Why the response to a request of that side and time is missing. */
  whyNoResponse(side: Side, requestStart: number): MissingMessage
  whyNoRequest(side: Side): MissingMessage
  /** Packet time of the last byte sent to that side. */
  lastAnswer(side: Side): number
  /** Whether a response to that side has begun and not ended. */
  isAnswering(side: Side): boolean
  /** Whether a response to that side cannot be lost unnoticed: it comes, a gap is reported, or the connection ends. */
  isAnswerCaptured(side: Side): boolean
}

/** After this silence, µs, a connection with overlapping requests counts as drained. */
const DRAINED_AFTER = 100_000
/** Maximum clock difference in a capture, µs: a response that ended earlier before a request belongs to another. */
const MAX_CLOCK_SKEW = 1000
/** State bits. The requesting side is the server. */
const ASKED_BY_SERVER = 1
/** Lost bytes made the order uncertain, except for the first `LossState.certain` pending requests. */
const UNCERTAIN = 2
/** Requests were sent while others were pending and responses came: the sides do not take turns. */
const OVERLAPS = 4
/** The same, but the missing responses may have been lost. */
const MAY_OVERLAP = 8
/** The last message was a response: the next request begins a turn. */
const RESPONSE_LAST = 16
/** Requests were lost since the order was certain. */
const REQUESTS_LOST = 32

/** Kept only for connections that lost bytes. */
class LossState {
  /** Responses whose request is not known yet. The first `heldBeforeGap` came before responses were lost. */
  held: Message[] = []
  heldCost = 0
  heldBeforeGap = 0
  /** Number of oldest pending requests whose order is certain. */
  certain = 0
  /** Number of oldest pending requests that came before requests were lost. */
  sentBeforeGap = 0
  /** Evicted requests without a key: the next responses belong to them. */
  evicted = 0
}

/**
 * Pairs the requests of one side with their responses: by key, or else first in, first out. Lost bytes make that
 * order uncertain, so responses after a gap are held until it is certain again: where the sides take turns, at the
 * next request, and then they are matched from the last one back.
 */
export class Pairing extends PendingList {
  readonly #flow: PairingFlow
  #state: number
  #partial = 0
  #lossState: LossState | undefined

  constructor(flow: PairingFlow, side: Side) {
    super()
    this.#flow = flow
    this.#state = side === 0 ? 0 : ASKED_BY_SERVER
  }

  get idle(): boolean {
    return this.size === 0 && !this.#holds()
  }

  #side(): Side {
    return this.#is(ASKED_BY_SERVER) ? 1 : 0
  }

  #holds(): boolean {
    return this.#lossState !== undefined && this.#lossState.held.length > 0
  }

  #ensureLossState(): LossState {
    this.#lossState ??= new LossState()
    return this.#lossState
  }

  request(message: Message): void {
    if (this.#partial > 0 && this.#continueRequest(message)) return
    if (message.key === undefined) {
      if (this.#holds() && this.#pairsEarlyResponse(message)) return
      // A request that was sent before a response but captured after it begins no turn.
      const last = this.#lossState?.held.at(-1)
      if (last === undefined || (message.end ?? 0) >= (last.start ?? 0)) {
        if (this.#is(RESPONSE_LAST)) this.#turn(message.start ?? 0)
        this.#state &= ~RESPONSE_LAST
      }
    }
    const waiting = new PendingCall(message)
    const fits = this.#reserve(waiting)
    if (message.more) this.#partial++
    const { size } = this
    if (size > 0 && (!fits || size >= this.#flow.limits.waiting)) {
      this.#evict()
      if (!fits) this.#reserve(waiting)
    }
    this.push(waiting)
  }

  response(message: Message): void {
    const { key } = message
    if (key === undefined) {
      const state = this.#lossState
      if (state !== undefined && state.evicted > 0) {
        if (!message.more) state.evicted--
        return
      }
    }
    const certain = key !== undefined || !this.#is(UNCERTAIN) || (this.#lossState?.certain ?? 0) > 0
    if (key === undefined) {
      this.#state |= RESPONSE_LAST
      if (this.#is(MAY_OVERLAP) && certain) this.#state |= OVERLAPS
      this.#state &= ~MAY_OVERLAP
    }
    let waiting = certain ? this.find(key) : undefined
    if (waiting !== undefined && key === undefined && precedes(message, waiting.request)) {
      // The order was wrong for an unknown time.
      this.responsesLost()
      waiting = undefined
    }
    if (waiting !== undefined) {
      if (this.#lossState !== undefined && key === undefined && !message.more) confirmOldest(this.#lossState)
      this.#answer(waiting, message)
    } else if (key === undefined) this.#hold(message)
    else this.#flow.pair(this.#side(), undefined, message, this.#flow.whyNoRequest(this.#side()))
  }

  /** Bytes of the requesting side were lost. The order of pending requests stays certain. */
  requestsLost(): void {
    // Nothing came since the last call. There may be many calls in a row.
    if (
      this.#is(REQUESTS_LOST) &&
      !this.#is(RESPONSE_LAST) &&
      this.#ensureLossState().sentBeforeGap === this.size
    )
      return
    this.#state |= REQUESTS_LOST
    this.#ensureLossState().sentBeforeGap = this.#unkeyed()
    // A turn may have begun in the lost bytes.
    if (this.#is(RESPONSE_LAST)) this.#turn(0)
    this.#state &= ~RESPONSE_LAST
    const state = this.#ensureLossState()
    state.sentBeforeGap = this.#unkeyed()
    if (!this.#is(UNCERTAIN)) state.certain = state.sentBeforeGap
    this.#state |= UNCERTAIN | REQUESTS_LOST
  }

  responsesLost(): void {
    this.#state &= ~MAY_OVERLAP
    this.#state |= UNCERTAIN
    const state = this.#ensureLossState()
    state.evicted = 0
    state.certain = 0
    state.heldBeforeGap = state.held.length
  }

  /** Emits requests that timed out, and moves the others out of the packet arena. */
  expire(now: number): void {
    const { patience } = this.#flow.limits
    let isNext = true
    for (const waiting of this.all()) {
      waiting.detach()
      if (waiting.response !== undefined) continue
      // Without keys the current response belongs to the oldest request, however long it pauses.
      const answered = isNext && waiting.key === undefined && this.#flow.isAnswering(this.#side())
      isNext = false
      if (waiting.timedOut || answered || waiting.request.more) continue
      const since = waiting.request.end ?? now
      const heard = waiting.key === undefined ? Math.max(since, this.#flow.lastAnswer(this.#side())) : since
      if (now - heard <= patience) continue
      const why = this.#flow.whyNoResponse(this.#side(), waiting.request.start ?? now)
      // A long poll may wait for hours.
      if (why === 'no_response' && this.#flow.isAnswerCaptured(this.#side())) continue
      waiting.timedOut = true
      this.#flow.pair(this.#side(), waiting.request, undefined, why)
    }
    const held = this.#lossState?.held[0]
    if (held !== undefined && now - (held.end ?? now) > patience) this.#matchHeld()
  }

  /** The flow has ended. */
  close(): void {
    if (this.#holds()) this.#matchHeld()
    for (const waiting of this.all()) {
      this.remove(waiting)
      this.#finish(waiting)
    }
  }

  /** The protocol cannot read what answers the pending requests, and reads no more. */
  responseMalformed(): void {
    if (this.#holds()) this.#matchHeld()
    for (const waiting of this.all()) {
      this.remove(waiting)
      this.#finish(waiting, 'malformed_response')
    }
  }

  /** Drops everything without emitting. */
  drop(): void {
    for (const waiting of this.all()) {
      this.remove(waiting)
      this.#flow.budget.give(waiting.cost)
    }
    this.#takeHeld()
  }

  #answer(waiting: PendingCall, message: Message): void {
    waiting.response =
      waiting.response === undefined ? message : join(waiting.response, message, this.#flow.limits.body)
    if (waiting.complete) this.#emit(waiting)
    else this.#reserve(waiting)
  }

  #emit(waiting: PendingCall): void {
    this.remove(waiting)
    this.#flow.budget.give(waiting.cost)
    this.#flow.pair(this.#side(), waiting.request, waiting.response, undefined)
  }

  /** Joins a further part of a request. */
  #continueRequest(message: Message): boolean {
    const waiting = this.findBegun(message.key)
    if (waiting === undefined) return false
    waiting.request = join(waiting.request, message, this.#flow.limits.body)
    if (!message.more) this.#partial--
    if (waiting.complete) this.#emit(waiting)
    else this.#reserve(waiting)
    return true
  }

  /** A capture may have a response before its request. Packet times show the true order. */
  #pairsEarlyResponse(message: Message): boolean {
    const [response] = this.#ensureLossState().held
    if (this.#is(UNCERTAIN) || this.size > 0 || (message.end ?? 0) > (response.start ?? 0)) return false
    this.#takeHeld()
    this.#flow.pair(this.#side(), asTruncated(message), response, undefined)
    return true
  }

  /** A request after a response. If the sides take turns, everything before it is settled. */
  #turn(start: number): void {
    const isSure = this.#is(UNCERTAIN) ? (this.#lossState?.certain ?? 0) > 0 : !this.#holds()
    if (isSure) {
      if (this.size > 0) this.#state |= MAY_OVERLAP
      return
    }
    if (!this.#is(OVERLAPS) || start - this.#flow.lastAnswer(this.#side()) > DRAINED_AFTER) this.#matchHeld()
  }

  #hold(message: Message): void {
    const state = this.#ensureLossState()
    const last = state.held.at(-1)
    if (last?.more) {
      state.held[state.held.length - 1] = join(last, message, this.#flow.limits.body)
      return
    }
    if (!this.#is(UNCERTAIN) && last !== undefined) this.#matchHeld()
    const whole = MESSAGE_OVERHEAD + messageCost(message)
    const cost = this.#flow.budget.take(whole)
      ? whole
      : this.#flow.budget.take(MESSAGE_OVERHEAD)
        ? MESSAGE_OVERHEAD
        : 0
    const { length } = state.held
    if (length > 0 && (cost === 0 || length >= this.#flow.limits.waiting)) this.#evict()
    state.heldCost += cost
    state.held.push(cost === whole ? message : withoutBody(message))
  }

  /**
   * Matches the last responses with the last requests. The rest is emitted without its other message. Only messages
   * after the last loss are matched, because an unknown number was lost.
   */
  #matchHeld(): void {
    const state = this.#ensureLossState()
    const unkeyed = this.all().filter((waiting) => waiting.key === undefined && waiting.open)
    const known = this.#is(REQUESTS_LOST) ? unkeyed.length - state.sentBeforeGap : unkeyed.length
    let pairs = Math.max(0, Math.min(state.held.length - state.heldBeforeGap, known))
    const held = this.#takeHeld()
    this.#state &= ~(UNCERTAIN | REQUESTS_LOST)
    state.certain = 0
    state.sentBeforeGap = 0
    for (let i = 1; i <= pairs; i++)
      if (precedes(held[held.length - i], unkeyed[unkeyed.length - i].request)) pairs = 0
    for (const waiting of unkeyed.slice(0, unkeyed.length - pairs)) {
      this.remove(waiting)
      this.#finish(waiting)
    }
    for (const response of held.slice(0, held.length - pairs))
      this.#flow.pair(this.#side(), undefined, asTruncated(response), this.#flow.whyNoRequest(this.#side()))
    const last = unkeyed.slice(unkeyed.length - pairs)
    for (const [i, response] of held.slice(held.length - pairs).entries()) this.#answer(last[i], response)
  }

  /** Emits with a partial response, or with the reason why there is none. */
  #finish(waiting: PendingCall, reason?: MissingMessage): void {
    this.#flow.budget.give(waiting.cost)
    if (waiting.request.more) this.#partial--
    if (waiting.response !== undefined)
      this.#flow.pair(this.#side(), asTruncated(waiting.request), asTruncated(waiting.response), undefined)
    else if (!waiting.timedOut)
      this.#flow.pair(
        this.#side(),
        asTruncated(waiting.request),
        undefined,
        reason ?? this.#flow.whyNoResponse(this.#side(), waiting.request.start ?? 0),
      )
  }

  /** Evicts the oldest. While the order is uncertain, evicts all, because no match can be trusted. */
  #evict(): void {
    const { loss } = this.#flow
    const oldest = this.oldest()
    const given = this.#is(UNCERTAIN) ? this.all() : oldest === undefined ? [] : [oldest]
    loss.pending_overflow = (loss.pending_overflow ?? 0) + given.length
    for (const waiting of given) {
      this.remove(waiting)
      if (!this.#is(UNCERTAIN) && waiting.key === undefined && waiting.open) this.#ensureLossState().evicted++
      this.#finish(waiting)
    }
    if (!this.#is(UNCERTAIN)) return
    this.#ensureLossState().evicted = 0
    const held = this.#takeHeld()
    for (const response of held) this.#flow.pair(this.#side(), undefined, asTruncated(response), 'gap')
  }

  #unkeyed(): number {
    let count = 0
    for (const waiting of this.all()) if (waiting.key === undefined && waiting.open) count++
    return count
  }

  #takeHeld(): readonly Message[] {
    const state = this.#lossState
    if (state === undefined) return []
    const { held } = state
    state.held = []
    state.heldBeforeGap = 0
    this.#flow.budget.give(state.heldCost)
    state.heldCost = 0
    return held
  }

  /**
   * Reserves the cost of both messages; drops the bodies if the budget is exhausted. Returns false if nothing could
   * be reserved.
   */
  #reserve(waiting: PendingCall): boolean {
    const { budget } = this.#flow
    const { request, response } = waiting
    const cost =
      MESSAGE_OVERHEAD + messageCost(request) + (response === undefined ? 0 : messageCost(response))
    budget.give(waiting.cost)
    waiting.cost = 0
    if (budget.take(cost)) waiting.cost = cost
    else {
      waiting.request = withoutBody(request)
      if (response !== undefined) waiting.response = withoutBody(response)
      if (budget.take(MESSAGE_OVERHEAD)) waiting.cost = MESSAGE_OVERHEAD
    }
    return waiting.cost > 0
  }

  #is(bit: number): boolean {
    return (this.#state & bit) !== 0
  }
}

/** Whether a response ended before a request began, so that it cannot belong to it. */
function precedes(response: Message, request: Message): boolean {
  return (response.end ?? Number.POSITIVE_INFINITY) + MAX_CLOCK_SKEW < (request.start ?? 0)
}

/** A request with a certain order got its response. */
function confirmOldest(state: LossState): void {
  if (state.certain > 0) state.certain--
  if (state.sentBeforeGap > 0) state.sentBeforeGap--
}
