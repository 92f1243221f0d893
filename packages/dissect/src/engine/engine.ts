import { type Flow, type Loss, type Side, type StreamHandler, shadow } from '@tapdeck/wire'
import { Arena } from '../arena.ts'
import { Budget } from '../budget.ts'
import type { Call } from '../call.ts'
import type { Dissector } from '../dissector.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { protocols as allProtocols } from '../protocols/index.ts'
import { ReusedFrame } from '../reused-frame.ts'
import { Answered, Answers } from './answered.ts'
import { Candidates } from './candidates.ts'
import type { EngineContext } from './engine-context.ts'
import { FollowedFlow } from './followed-flow.ts'
import { FrameReader } from './frame-reader.ts'
import { PlainFlow } from './plain-flow.ts'
import { SpareHalves } from './spare-halves.ts'

export interface EngineOptions {
  emit(call: Call): void
  /** A flow is over and its calls are emitted; with the names of the protocols recognised in it. */
  flow?(flow: Flow, protocols: readonly string[]): void
  /** Exchanges the sides of a flow whose client was guessed wrongly: `Streams.flip`. */
  flip?(flow: Flow): void
  /** All of the house unless given. */
  readonly protocols?: readonly Dissector[]
  /** Only calls of these protocols are emitted. */
  readonly enabled?: readonly string[]
  readonly limits?: Partial<Limits>
  readonly loss?: Loss
  /** Told of an error that is no `Malformed`: a mistake in a protocol, which the engine survives and counts. */
  fault?(error: unknown, protocol: string): void
}

/** Streams in, calls out. Time is the packets' own; the same packets give the same calls. */
export class Engine implements StreamHandler {
  readonly limits: Limits
  readonly loss: Loss
  readonly budget: Budget
  calls = 0
  /** Set where the streams exist only after the engine that they feed. */
  flip: ((flow: Flow) => void) | undefined
  readonly #options: EngineOptions
  readonly #context: EngineContext
  readonly #watched: (FollowedFlow | PlainFlow)[] = []
  readonly #arena = new Arena()
  readonly #answers = new Answers()
  #nextSweep = 0

  constructor(options: EngineOptions) {
    this.#options = options
    this.limits = { ...defaultLimits, ...options.limits }
    this.loss = options.loss ?? {}
    this.budget = new Budget(this.limits.total, this.loss)
    this.flip = options.flip === undefined ? undefined : (flow) => options.flip?.(flow)
    const enabled = options.enabled === undefined ? undefined : new Set(options.enabled)
    const arena = this.#arena
    const frame = new ReusedFrame()
    this.#context = {
      limits: this.limits,
      loss: this.loss,
      budget: this.budget,
      frame,
      spareHalves: new SpareHalves(),
      reader: new FrameReader(this.limits, this.loss, frame),
      copy: (bytes, start, end) => arena.copy(bytes, start, end),
      arena,
      candidates: new Candidates(options.protocols ?? Object.values(allProtocols)),
      wants: (protocol) => enabled === undefined || enabled.has(protocol),
      emit: (call) => {
        this.calls++
        options.emit(call)
      },
      flip: (flow) => {
        this.flip?.(flow)
        return this.flip !== undefined
      },
      fault: (error, protocol) => options.fault?.(error, protocol),
      watch: (flow) => {
        flow.watchedAt = this.#watched.push(flow) - 1
      },
      unwatch: (flow) => this.#unwatch(flow),
    }
  }

  /** The packets that come next stand in these bytes, which nobody will change: calls may point into them. */
  lasting(bytes: Uint8Array): void {
    this.#arena.lasting(bytes)
    shadow.begin(bytes)
  }

  open(flow: Flow): void {
    flow.state =
      flow.transport === 'udp' ? this.#answers.follow(flow, undefined) : new FollowedFlow(flow, this.#context)
  }

  data(flow: Flow, side: Side, bytes: Uint8Array, start: number, end: number, time: number): void {
    followed(flow)?.data(side, bytes, start, end, time)
  }

  gap(flow: Flow, side: Side, missing: number, time: number, cut: boolean): void {
    followed(flow)?.gap(side, missing, time, cut)
  }

  unseen(flow: Flow, side: Side, missing: number): void {
    followed(flow)?.unseen(side, missing)
  }

  datagram(
    flow: Flow,
    side: Side,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
  ): void {
    let { state } = flow
    if (state instanceof Answered) {
      state = this.#answers.follow(flow, state)
      flow.state = state
    }
    if (state instanceof PlainFlow && state.datagram(side, bytes, start, end, length, time, this.#context)) {
      if (state.idle) flow.state = this.#answers.of(state) ?? state
      return
    }
    const awake = this.#awake(flow)
    if (awake === undefined) return
    awake.datagram(side, bytes, start, end, length, time)
    flow.state = awake.doze() ?? awake
  }

  finish(flow: Flow, side: Side, time: number): void {
    followed(flow)?.finish(side, time)
  }

  close(flow: Flow, time: number): void {
    const { state } = flow
    if (state === undefined) return
    const isPlain = state instanceof Answered || (state instanceof PlainFlow && state.idle)
    const over = isPlain ? state : this.#awake(flow)
    if (over === undefined) return
    if (over instanceof FollowedFlow) over.close(time)
    flow.state = undefined
    this.#options.flow?.(flow, over.protocols)
  }

  /** Gives up requests that have waited too long at `now`. Streams do this as the time of their packets goes on. */
  advance(now: number): void {
    if (now < this.#nextSweep) return
    this.#nextSweep = now + this.limits.patience / 8
    for (const watched of [...this.#watched]) {
      const awake = watched instanceof PlainFlow ? this.#awake(watched.flow) : watched
      if (awake !== undefined && !awake.expire(now)) this.#unwatch(awake)
    }
  }

  /** Who follows it with all that this may take. */
  #awake(flow: Flow): FollowedFlow | undefined {
    const { state } = flow
    if (state instanceof PlainFlow) {
      const awake = FollowedFlow.wake(state, this.#context)
      flow.state = awake
      return awake
    }
    return state instanceof FollowedFlow ? state : undefined
  }

  #unwatch(flow: FollowedFlow | PlainFlow): void {
    const at = flow.watchedAt
    if (at < 0) return
    flow.watchedAt = -1
    const last = this.#watched.pop()
    if (last === undefined || last === flow) return
    this.#watched[at] = last
    last.watchedAt = at
  }
}

function followed(flow: Flow): FollowedFlow | undefined {
  return flow.state instanceof FollowedFlow ? flow.state : undefined
}
