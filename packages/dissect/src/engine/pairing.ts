import type { Loss, Side } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import type { MissingHalf } from '../call.ts'
import type { Limits } from '../limits.ts'
import type { Message } from '../message.ts'
import { join } from './join.ts'
import { BURDEN, cut, Waiting, weigh, withoutBody } from './waiting.ts'
import { WaitingList } from './waiting-list.ts'

/** What a pairing needs of the flow it belongs to. */
export interface PairingFlow {
  readonly limits: Limits
  readonly loss: Loss
  readonly budget: Allowance
  pair(side: Side, request: Message | undefined, response: Message | undefined, missing?: MissingHalf): void
  /** Why the response to a request of that side and time is missing. */
  whyNoResponse(side: Side, requestStart: number): MissingHalf
  whyNoRequest(side: Side): MissingHalf
  /** Packet time of the last byte that answered that side. */
  lastAnswer(side: Side): number
  /** Whether an answer to that side has begun and not ended. */
  isAnswering(side: Side): boolean
  /** Whether what answers that side comes sooner or later, is told to be lost, or its connection ends. */
  isHeard(side: Side): boolean
}

/** A connection that keeps several requests under way is taken to have drained after this silence, µs. */
const QUIET = 100_000
/** Clocks of a capture may differ by this, µs: an answer that is told to have been over earlier before its question is to another. */
const SKEW = 1000
/** Bits of a pairing. The side that asks is the server. */
const ASKED_BY_SERVER = 1
/** Lost bytes made the count uncertain, except for the first `Doubtful.sure` that wait. */
const UNSURE = 2
/** Requests were sent while others were still waiting and responses were coming: no turns. */
const OVERLAPS = 4
/** It looks like that, but the responses that are not there yet may have been lost. */
const MAY_OVERLAP = 8
/** The last message was a response: the next request begins a turn. */
const ANSWERED = 16
/** Since the count was certain, requests were lost. */
const REQUESTS_LOST = 32

/** What only connections need that lost something. */
class Doubtful {
  /** Responses whose request is not known yet. The first `apart` of them came before others were lost. */
  held: Message[] = []
  heldWeight = 0
  apart = 0
  /** Of those that wait, the first ones whose count is certain. */
  sure = 0
  /** Of those that wait, the first ones, which came before requests were lost. */
  before = 0
  /** Requests without a key that were given up for want of room: the next responses are theirs. */
  forgotten = 0
}

/**
 * The requests of one side and the responses to them. With a key a response finds its request; without one, first
 * in is first out. Lost bytes break the count of the latter, so responses after a gap are held until the count is
 * certain again: where requests and responses take turns, at the next request, and then they match from the end.
 * There are as many of these as connections: what few of them need stands aside.
 */
export class Pairing extends WaitingList {
  readonly #flow: PairingFlow
  #state: number
  #partial = 0
  #doubtful: Doubtful | undefined

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
    return this.#doubtful !== undefined && this.#doubtful.held.length > 0
  }

  #doubted(): Doubtful {
    this.#doubtful ??= new Doubtful()
    return this.#doubtful
  }

  request(message: Message): void {
    if (this.#partial > 0 && this.#continued(message)) return
    if (message.key === undefined) {
      if (this.#holds() && this.#early(message)) return
      // What was sent before a response, and is told after it, begins no turn.
      const last = this.#doubtful?.held.at(-1)
      if (last === undefined || (message.end ?? 0) >= (last.start ?? 0)) {
        if (this.#is(ANSWERED)) this.#turn(message.start ?? 0)
        this.#state &= ~ANSWERED
      }
    }
    const waiting = new Waiting(message)
    const fits = this.#weigh(waiting)
    if (message.more) this.#partial++
    const { size } = this
    if (size > 0 && (!fits || size >= this.#flow.limits.waiting)) {
      this.#overflow()
      if (!fits) this.#weigh(waiting)
    }
    this.push(waiting)
  }

  response(message: Message): void {
    const { key } = message
    if (key === undefined) {
      const doubtful = this.#doubtful
      if (doubtful !== undefined && doubtful.forgotten > 0) {
        if (!message.more) doubtful.forgotten--
        return
      }
    }
    const certain = key !== undefined || !this.#is(UNSURE) || (this.#doubtful?.sure ?? 0) > 0
    if (key === undefined) {
      this.#state |= ANSWERED
      if (this.#is(MAY_OVERLAP) && certain) this.#state |= OVERLAPS
      this.#state &= ~MAY_OVERLAP
    }
    let waiting = certain ? this.find(key) : undefined
    if (waiting !== undefined && key === undefined && precedes(message, waiting.request)) {
      // The count was wrong, and who knows since when.
      this.responsesLost()
      waiting = undefined
    }
    if (waiting !== undefined) {
      if (this.#doubtful !== undefined && key === undefined && !message.more) reassure(this.#doubtful)
      this.#answer(waiting, message)
    } else if (key === undefined) this.#hold(message)
    else this.#flow.pair(this.#side(), undefined, message, this.#flow.whyNoRequest(this.#side()))
  }

  /** Bytes of the requesting side were lost: the count holds for those that wait already. */
  requestsLost(): void {
    // Nothing came since the last time: of bytes that make no sense there may be many.
    if (this.#is(REQUESTS_LOST) && !this.#is(ANSWERED) && this.#doubted().before === this.size) return
    this.#state |= REQUESTS_LOST
    this.#doubted().before = this.#unkeyed()
    // Maybe a turn began with them.
    if (this.#is(ANSWERED)) this.#turn(0)
    this.#state &= ~ANSWERED
    const doubted = this.#doubted()
    doubted.before = this.#unkeyed()
    if (!this.#is(UNSURE)) doubted.sure = doubted.before
    this.#state |= UNSURE | REQUESTS_LOST
  }

  responsesLost(): void {
    this.#state &= ~MAY_OVERLAP
    this.#state |= UNSURE
    const doubted = this.#doubted()
    doubted.forgotten = 0
    doubted.sure = 0
    doubted.apart = doubted.held.length
  }

  /** Gives up what has waited too long, and lets go of the arena for the rest. */
  expire(now: number): void {
    const { patience } = this.#flow.limits
    let isNext = true
    for (const waiting of this.all()) {
      waiting.detach()
      if (waiting.response !== undefined) continue
      // What comes in order answers the oldest: it has a response, however long that pauses.
      const answered = isNext && waiting.key === undefined && this.#flow.isAnswering(this.#side())
      isNext = false
      if (waiting.givenUp || answered || waiting.request.more) continue
      const since = waiting.request.end ?? now
      const heard = waiting.key === undefined ? Math.max(since, this.#flow.lastAnswer(this.#side())) : since
      if (now - heard <= patience) continue
      const why = this.#flow.whyNoResponse(this.#side(), waiting.request.start ?? now)
      // Whoever waits for news may wait for hours.
      if (why === 'no_response' && this.#flow.isHeard(this.#side())) continue
      waiting.givenUp = true
      this.#flow.pair(this.#side(), waiting.request, undefined, why)
    }
    const held = this.#doubtful?.held[0]
    if (held !== undefined && now - (held.end ?? now) > patience) this.#settle()
  }

  /** Nothing more will come. */
  close(): void {
    if (this.#holds()) this.#settle()
    for (const waiting of this.all()) {
      this.remove(waiting)
      this.#leave(waiting)
    }
  }

  /** Forgets everything without a word. */
  drop(): void {
    for (const waiting of this.all()) {
      this.remove(waiting)
      this.#flow.budget.give(waiting.weight)
    }
    this.#release()
  }

  #answer(waiting: Waiting, message: Message): void {
    waiting.response =
      waiting.response === undefined ? message : join(waiting.response, message, this.#flow.limits.body)
    if (waiting.complete) this.#emit(waiting)
    else this.#weigh(waiting)
  }

  #emit(waiting: Waiting): void {
    this.remove(waiting)
    this.#flow.budget.give(waiting.weight)
    this.#flow.pair(this.#side(), waiting.request, waiting.response, undefined)
  }

  /** A further part of a request that has begun. */
  #continued(message: Message): boolean {
    const waiting = this.findBegun(message.key)
    if (waiting === undefined) return false
    waiting.request = join(waiting.request, message, this.#flow.limits.body)
    if (!message.more) this.#partial--
    if (waiting.complete) this.#emit(waiting)
    else this.#weigh(waiting)
    return true
  }

  /** Captures may tell of a response before its request: the packets' times say which was first. */
  #early(message: Message): boolean {
    const [response] = this.#doubted().held
    if (this.#is(UNSURE) || this.size > 0 || (message.end ?? 0) > (response.start ?? 0)) return false
    this.#release()
    this.#flow.pair(this.#side(), cut(message), response, undefined)
    return true
  }

  /** A request after a response. Where the sides take turns, all before it is settled. */
  #turn(start: number): void {
    const isSure = this.#is(UNSURE) ? (this.#doubtful?.sure ?? 0) > 0 : !this.#holds()
    if (isSure) {
      if (this.size > 0) this.#state |= MAY_OVERLAP
      return
    }
    if (!this.#is(OVERLAPS) || start - this.#flow.lastAnswer(this.#side()) > QUIET) this.#settle()
  }

  #hold(message: Message): void {
    const doubted = this.#doubted()
    const last = doubted.held.at(-1)
    if (last?.more) {
      doubted.held[doubted.held.length - 1] = join(last, message, this.#flow.limits.body)
      return
    }
    if (!this.#is(UNSURE) && last !== undefined) this.#settle()
    const whole = BURDEN + weigh(message)
    const weight = this.#flow.budget.take(whole) ? whole : this.#flow.budget.take(BURDEN) ? BURDEN : 0
    const { length } = doubted.held
    if (length > 0 && (weight === 0 || length >= this.#flow.limits.waiting)) this.#overflow()
    doubted.heldWeight += weight
    doubted.held.push(weight === whole ? message : withoutBody(message))
  }

  /**
   * The last responses answer the last requests; what is left over lost its other half. That holds for those after
   * what was lost last, of either side: who knows how many were between.
   */
  #settle(): void {
    const doubtful = this.#doubted()
    const unkeyed = this.all().filter((waiting) => waiting.key === undefined && waiting.open)
    const known = this.#is(REQUESTS_LOST) ? unkeyed.length - doubtful.before : unkeyed.length
    let pairs = Math.max(0, Math.min(doubtful.held.length - doubtful.apart, known))
    const held = this.#release()
    this.#state &= ~(UNSURE | REQUESTS_LOST)
    doubtful.sure = 0
    doubtful.before = 0
    for (let i = 1; i <= pairs; i++)
      if (precedes(held[held.length - i], unkeyed[unkeyed.length - i].request)) pairs = 0
    for (const waiting of unkeyed.slice(0, unkeyed.length - pairs)) {
      this.remove(waiting)
      this.#leave(waiting)
    }
    for (const response of held.slice(0, held.length - pairs))
      this.#flow.pair(this.#side(), undefined, cut(response), this.#flow.whyNoRequest(this.#side()))
    const last = unkeyed.slice(unkeyed.length - pairs)
    for (const [i, response] of held.slice(held.length - pairs).entries()) this.#answer(last[i], response)
  }

  /** Ends a wait: with what there is of a response, or with the reason why there is none. */
  #leave(waiting: Waiting): void {
    this.#flow.budget.give(waiting.weight)
    if (waiting.request.more) this.#partial--
    if (waiting.response !== undefined)
      this.#flow.pair(this.#side(), cut(waiting.request), cut(waiting.response), undefined)
    else if (!waiting.givenUp)
      this.#flow.pair(
        this.#side(),
        cut(waiting.request),
        undefined,
        this.#flow.whyNoResponse(this.#side(), waiting.request.start ?? 0),
      )
  }

  /** The oldest makes room. Where the count is uncertain, nothing that waits can be trusted to match. */
  #overflow(): void {
    const { loss } = this.#flow
    const oldest = this.oldest()
    const given = this.#is(UNSURE) ? this.all() : oldest === undefined ? [] : [oldest]
    loss.pending_overflow = (loss.pending_overflow ?? 0) + given.length
    for (const waiting of given) {
      this.remove(waiting)
      if (!this.#is(UNSURE) && waiting.key === undefined && waiting.open) this.#doubted().forgotten++
      this.#leave(waiting)
    }
    if (!this.#is(UNSURE)) return
    this.#doubted().forgotten = 0
    const held = this.#release()
    for (const response of held) this.#flow.pair(this.#side(), undefined, cut(response), 'gap')
  }

  #unkeyed(): number {
    let count = 0
    for (const waiting of this.all()) if (waiting.key === undefined && waiting.open) count++
    return count
  }

  #release(): readonly Message[] {
    const doubtful = this.#doubtful
    if (doubtful === undefined) return []
    const { held } = doubtful
    doubtful.held = []
    doubtful.apart = 0
    this.#flow.budget.give(doubtful.heldWeight)
    doubtful.heldWeight = 0
    return held
  }

  /** What waits counts against the budget; where that is spent, the bodies go. False where not even the rest fits. */
  #weigh(waiting: Waiting): boolean {
    const { budget } = this.#flow
    const { request, response } = waiting
    const weight = BURDEN + weigh(request) + (response === undefined ? 0 : weigh(response))
    budget.give(waiting.weight)
    waiting.weight = 0
    if (budget.take(weight)) waiting.weight = weight
    else {
      waiting.request = withoutBody(request)
      if (response !== undefined) waiting.response = withoutBody(response)
      if (budget.take(BURDEN)) waiting.weight = BURDEN
    }
    return waiting.weight > 0
  }

  #is(bit: number): boolean {
    return (this.#state & bit) !== 0
  }
}

/** Whether a response was over before a request began, and so cannot be the answer to it. */
function precedes(response: Message, request: Message): boolean {
  return (response.end ?? Number.POSITIVE_INFINITY) + SKEW < (request.start ?? 0)
}

/** One of those whose count was certain has its response. */
function reassure(doubtful: Doubtful): void {
  if (doubtful.sure > 0) doubtful.sure--
  if (doubtful.before > 0) doubtful.before--
}
