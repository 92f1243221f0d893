import type { Loss, Side } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import type { MissingHalf } from '../call.ts'
import type { Limits } from '../limits.ts'
import type { Message } from '../message.ts'
import { join } from './join.ts'
import { cut, Waiting, weigh, withoutBody } from './waiting.ts'

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
const NONE: readonly Message[] = []
/** Stands for no requests at all; never written to. An array of its own would outweigh all else of a connection. */
const IDLE: Waiting[] = []

/**
 * The requests of one side and the responses to them. With a key a response finds its request; without one, first
 * in is first out. Lost bytes break the count of the latter, so responses after a gap are held until the count is
 * certain again: where requests and responses take turns, at the next request, and then they match from the end.
 */
export class Pairing {
  readonly #flow: PairingFlow
  /** The side that asks. */
  readonly #side: Side
  #waiting: Waiting[] = IDLE
  /** Responses whose request is not known yet. */
  #held: readonly Message[] = NONE
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
    return this.#waiting.length === 0 && this.#held.length === 0
  }

  request(message: Message): void {
    if (this.#partial > 0 && this.#continued(message)) return
    if (message.key === undefined) {
      if (this.#held.length > 0 && this.#early(message)) return
      if (this.#answered) this.#turn(message)
      this.#answered = false
    }
    const waiting = new Waiting(message)
    this.#weigh(waiting)
    if (message.more) this.#partial++
    if (this.#waiting.length >= this.#flow.limits.pending) this.#overflow()
    if (this.#waiting.length === 0) this.#waiting = [waiting]
    else this.#waiting.push(waiting)
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
    const index = certain ? this.#find(key) : -1
    if (index >= 0) {
      if (this.#sure > 0 && key === undefined && !message.more) this.#sure--
      this.#answer(index, message)
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
    for (const waiting of this.#waiting) {
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
    for (const waiting of this.#waiting) this.#leave(waiting)
    this.#waiting = IDLE
  }

  /** Forgets everything without a word. */
  drop(): void {
    for (const waiting of this.#waiting) this.#flow.budget.give(waiting.weight)
    this.#waiting = IDLE
    this.#release()
  }

  #find(key: number | string | undefined): number {
    const waiting = this.#waiting
    for (let i = 0; i < waiting.length; i++) if (waiting[i].key === key && waiting[i].open) return i
    return -1
  }

  #answer(index: number, message: Message): void {
    const waiting = this.#waiting[index]
    waiting.response =
      waiting.response === undefined ? message : join(waiting.response, message, this.#flow.limits.body)
    if (waiting.complete) this.#emit(index)
    else this.#weigh(waiting)
  }

  #emit(index: number): void {
    const waiting = this.#waiting[index]
    if (this.#waiting.length === 1) this.#waiting = IDLE
    else this.#waiting.splice(index, 1)
    this.#flow.budget.give(waiting.weight)
    this.#flow.pair(this.#side, waiting.request, waiting.response, undefined)
  }

  /** A further part of a request that has begun. */
  #continued(message: Message): boolean {
    const index = this.#waiting.findIndex((waiting) => waiting.key === message.key && waiting.request.more)
    if (index < 0) return false
    const waiting = this.#waiting[index]
    waiting.request = join(waiting.request, message, this.#flow.limits.body)
    if (!message.more) this.#partial--
    if (waiting.complete) this.#emit(index)
    else this.#weigh(waiting)
    return true
  }

  /** Captures may tell of a response before its request: the packets' times say which was first. */
  #early(message: Message): boolean {
    const [response] = this.#held
    if (this.#unsure || this.#waiting.length > 0 || (message.end ?? 0) > (response.start ?? 0)) return false
    this.#release()
    this.#flow.pair(this.#side, cut(message), response, undefined)
    return true
  }

  /** A request after a response. Where the sides take turns, all before it is settled. */
  #turn(message: Message): void {
    if (!this.#unsure && this.#held.length === 0) {
      if (this.#waiting.length > 0) this.#mayOverlap = true
      return
    }
    if (!this.#overlaps || (message.start ?? 0) - this.#flow.lastAnswer(this.#side) > QUIET) this.#settle()
  }

  #hold(message: Message): void {
    const last = this.#held.at(-1)
    if (last?.more) {
      this.#held = [...this.#held.slice(0, -1), join(last, message, this.#flow.limits.body)]
      return
    }
    if (!this.#unsure && last !== undefined) this.#settle()
    if (this.#held.length >= this.#flow.limits.pending) this.#overflow()
    const weight = weigh(message)
    const light = this.#flow.budget.take(weight)
    if (light) this.#heldWeight += weight
    this.#held = [...this.#held, light ? message : withoutBody(message)]
  }

  /** The last responses answer the last requests; what is left over lost its other half. */
  #settle(): void {
    const held = this.#release()
    const unkeyed = this.#waiting.filter((waiting) => waiting.key === undefined && waiting.open)
    this.#unsure = false
    this.#sure = 0
    const pairs = Math.min(held.length, unkeyed.length)
    for (const waiting of unkeyed.slice(0, unkeyed.length - pairs)) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      this.#leave(waiting)
    }
    for (const response of held.slice(0, held.length - pairs))
      this.#flow.pair(this.#side, undefined, cut(response), this.#flow.whyNoRequest(this.#side))
    for (const response of held.slice(held.length - pairs)) this.#answer(this.#find(undefined), response)
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
    const given = this.#waiting.splice(0, this.#unsure ? this.#waiting.length : 1)
    loss.pending_overflow = (loss.pending_overflow ?? 0) + given.length
    for (const waiting of given) {
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
    for (const waiting of this.#waiting) if (waiting.key === undefined && waiting.open) count++
    return count
  }

  #release(): readonly Message[] {
    const held = this.#held
    this.#held = NONE
    this.#flow.budget.give(this.#heldWeight)
    this.#heldWeight = 0
    return held
  }

  /** What waits counts against the budget; where that is spent, the bodies go. */
  #weigh(waiting: Waiting): void {
    const { budget } = this.#flow
    const { request, response } = waiting
    const weight = weigh(request) + (response === undefined ? 0 : weigh(response))
    budget.give(waiting.weight)
    waiting.weight = 0
    if (budget.take(weight)) waiting.weight = weight
    else {
      waiting.request = withoutBody(request)
      if (response !== undefined) waiting.response = withoutBody(response)
    }
  }
}
