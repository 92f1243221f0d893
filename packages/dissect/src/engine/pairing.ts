import type { Loss, Side } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import type { MissingHalf } from '../call.ts'
import type { Limits } from '../limits.ts'
import type { Message } from '../message.ts'
import { join } from './join.ts'
import { BURDEN, cut, Waiting, weigh, withoutBody } from './waiting.ts'
import { WaitingQueue } from './waiting-queue.ts'

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
}

/** A connection that keeps several requests under way is taken to have drained after this silence, µs. */
const QUIET = 100_000
/** Stands for no responses at all; never written to. */
const NONE: Message[] = []

/**
 * The requests of one side and the responses to them. With a key a response finds its request; without one, first
 * in is first out. Lost bytes break the count of the latter, so responses after a gap are held until the count is
 * certain again: where requests and responses take turns, at the next request, and then they match from the end.
 */
export class Pairing {
  readonly #flow: PairingFlow
  /** The side that asks. */
  readonly #side: Side
  readonly #waiting = new WaitingQueue()
  /** Responses whose request is not known yet. */
  #held: Message[] = NONE
  #heldWeight = 0
  /** Lost bytes made the count uncertain, except for the first `#sure` that wait. */
  #unsure = false
  #sure = 0
  /** Requests were sent while others were still waiting and responses were coming: no turns. */
  #overlaps = false
  /** It looks like that, but the responses that are not there yet may have been lost. */
  #mayOverlap = false
  /** The last message was a response: the next request begins a turn. */
  #answered = false
  #partial = 0
  /** Requests without a key that were given up for want of room: the next responses are theirs. */
  #forgotten = 0

  constructor(flow: PairingFlow, side: Side) {
    this.#flow = flow
    this.#side = side
  }

  get idle(): boolean {
    return this.#waiting.size === 0 && this.#held.length === 0
  }

  request(message: Message): void {
    if (this.#partial > 0 && this.#continued(message)) return
    if (message.key === undefined) {
      if (this.#held.length > 0 && this.#early(message)) return
      if (this.#answered) this.#turn(message)
      this.#answered = false
    }
    const waiting = new Waiting(message)
    const fits = this.#weigh(waiting)
    if (message.more) this.#partial++
    const { size } = this.#waiting
    if (size > 0 && (!fits || size >= this.#flow.limits.waiting)) {
      this.#overflow()
      if (!fits) this.#weigh(waiting)
    }
    this.#waiting.push(waiting)
  }

  response(message: Message): void {
    const { key } = message
    if (key === undefined) {
      if (this.#forgotten > 0) {
        if (!message.more) this.#forgotten--
        return
      }
      this.#answered = true
      if (this.#mayOverlap && !this.#unsure) this.#overlaps = true
      this.#mayOverlap = false
    }
    const certain = key !== undefined || !this.#unsure || this.#sure > 0
    const waiting = certain ? this.#waiting.find(key) : undefined
    if (waiting !== undefined) {
      if (this.#sure > 0 && key === undefined && !message.more) this.#sure--
      this.#answer(waiting, message)
    } else if (key === undefined) this.#hold(message)
    else this.#flow.pair(this.#side, undefined, message, this.#flow.whyNoRequest(this.#side))
  }

  /** Bytes of the requesting side were lost: the count holds for those that wait already. */
  requestsLost(): void {
    // A turn began with them.
    if (this.#answered && !this.#overlaps) this.#settle()
    this.#answered = false
    this.#unsure = true
    this.#sure = this.#unkeyed()
  }

  responsesLost(): void {
    this.#mayOverlap = false
    this.#forgotten = 0
    this.#unsure = true
    this.#sure = 0
  }

  /** Gives up what has waited too long, and lets go of the arena for the rest. */
  expire(now: number): void {
    const { patience } = this.#flow.limits
    for (const waiting of this.#waiting.all()) {
      waiting.detach()
      if (waiting.givenUp || waiting.response !== undefined || waiting.request.more) continue
      const since = waiting.request.end ?? now
      const heard = waiting.key === undefined ? Math.max(since, this.#flow.lastAnswer(this.#side)) : since
      if (now - heard <= patience) continue
      waiting.givenUp = true
      this.#flow.pair(
        this.#side,
        waiting.request,
        undefined,
        this.#flow.whyNoResponse(this.#side, waiting.request.start ?? now),
      )
    }
    if (this.#held.length > 0 && now - (this.#held[0].end ?? now) > patience) this.#settle()
  }

  /** Nothing more will come. */
  close(): void {
    if (this.#held.length > 0) this.#settle()
    for (const waiting of this.#waiting.all()) {
      this.#waiting.remove(waiting)
      this.#leave(waiting)
    }
  }

  /** Forgets everything without a word. */
  drop(): void {
    for (const waiting of this.#waiting.all()) {
      this.#waiting.remove(waiting)
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
    this.#waiting.remove(waiting)
    this.#flow.budget.give(waiting.weight)
    this.#flow.pair(this.#side, waiting.request, waiting.response, undefined)
  }

  /** A further part of a request that has begun. */
  #continued(message: Message): boolean {
    const waiting = this.#waiting.findBegun(message.key)
    if (waiting === undefined) return false
    waiting.request = join(waiting.request, message, this.#flow.limits.body)
    if (!message.more) this.#partial--
    if (waiting.complete) this.#emit(waiting)
    else this.#weigh(waiting)
    return true
  }

  /** Captures may tell of a response before its request: the packets' times say which was first. */
  #early(message: Message): boolean {
    const [response] = this.#held
    if (this.#unsure || this.#waiting.size > 0 || (message.end ?? 0) > (response.start ?? 0)) return false
    this.#release()
    this.#flow.pair(this.#side, cut(message), response, undefined)
    return true
  }

  /** A request after a response. Where the sides take turns, all before it is settled. */
  #turn(message: Message): void {
    if (!this.#unsure && this.#held.length === 0) {
      if (this.#waiting.size > 0) this.#mayOverlap = true
      return
    }
    if (!this.#overlaps || (message.start ?? 0) - this.#flow.lastAnswer(this.#side) > QUIET) this.#settle()
  }

  #hold(message: Message): void {
    const last = this.#held.at(-1)
    if (last?.more) {
      this.#held[this.#held.length - 1] = join(last, message, this.#flow.limits.body)
      return
    }
    if (!this.#unsure && last !== undefined) this.#settle()
    const whole = BURDEN + weigh(message)
    const weight = this.#flow.budget.take(whole) ? whole : this.#flow.budget.take(BURDEN) ? BURDEN : 0
    const { length } = this.#held
    if (length > 0 && (weight === 0 || length >= this.#flow.limits.waiting)) this.#overflow()
    this.#heldWeight += weight
    const kept = weight === whole ? message : withoutBody(message)
    if (this.#held.length === 0) this.#held = [kept]
    else this.#held.push(kept)
  }

  /** The last responses answer the last requests; what is left over lost its other half. */
  #settle(): void {
    const held = this.#release()
    const unkeyed = this.#waiting.all().filter((waiting) => waiting.key === undefined && waiting.open)
    this.#unsure = false
    this.#sure = 0
    const pairs = Math.min(held.length, unkeyed.length)
    for (const waiting of unkeyed.slice(0, unkeyed.length - pairs)) {
      this.#waiting.remove(waiting)
      this.#leave(waiting)
    }
    for (const response of held.slice(0, held.length - pairs))
      this.#flow.pair(this.#side, undefined, cut(response), this.#flow.whyNoRequest(this.#side))
    const last = unkeyed.slice(unkeyed.length - pairs)
    for (const [i, response] of held.slice(held.length - pairs).entries()) this.#answer(last[i], response)
  }

  /** Ends a wait: with what there is of a response, or with the reason why there is none. */
  #leave(waiting: Waiting): void {
    this.#flow.budget.give(waiting.weight)
    if (waiting.request.more) this.#partial--
    if (waiting.response !== undefined)
      this.#flow.pair(this.#side, cut(waiting.request), cut(waiting.response), undefined)
    else if (!waiting.givenUp)
      this.#flow.pair(
        this.#side,
        cut(waiting.request),
        undefined,
        this.#flow.whyNoResponse(this.#side, waiting.request.start ?? 0),
      )
  }

  /** The oldest makes room. Where the count is uncertain, nothing that waits can be trusted to match. */
  #overflow(): void {
    const { loss } = this.#flow
    const oldest = this.#waiting.oldest()
    const given = this.#unsure ? this.#waiting.all() : oldest === undefined ? [] : [oldest]
    loss.pending_overflow = (loss.pending_overflow ?? 0) + given.length
    for (const waiting of given) {
      this.#waiting.remove(waiting)
      if (!this.#unsure && waiting.key === undefined && waiting.open) this.#forgotten++
      this.#leave(waiting)
    }
    if (!this.#unsure) return
    this.#forgotten = 0
    const held = this.#release()
    for (const response of held) this.#flow.pair(this.#side, undefined, cut(response), 'gap')
  }

  #unkeyed(): number {
    let count = 0
    for (const waiting of this.#waiting.all()) if (waiting.key === undefined && waiting.open) count++
    return count
  }

  #release(): readonly Message[] {
    const held = this.#held
    this.#held = NONE
    this.#flow.budget.give(this.#heldWeight)
    this.#heldWeight = 0
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
}
