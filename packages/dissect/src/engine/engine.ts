import type { KeySource } from '@tapdeck/tls'
import type { Datagram, Flow, Loss, Side, StreamHandler } from '@tapdeck/wire'
import { type FastPaths, threadFastPaths } from '../accelerated/fast-paths.ts'
import type { Call } from '../contract/call.ts'
import type { Dissector } from '../contract/dissector.ts'
import { defaultLimits, type Limits } from '../contract/limits.ts'
import { ReusedFrame } from '../contract/reused-frame.ts'
import { Arena } from '../memory/arena.ts'
import { Budget } from '../memory/budget.ts'
import { protocols as allProtocols } from '../protocols/index.ts'
import { DatagramFlow } from './datagram/datagram-flow.ts'
import { IdleDatagramFlows } from './datagram/idle-datagram-flows.ts'
import { IdleDatagramState } from './datagram/idle-datagram-state.ts'
import { DecryptedFlow } from './decrypted-flow.ts'
import { Candidates } from './detect/candidates.ts'
import type { EngineContext, Watched } from './engine-context.ts'
import { FollowedFlow } from './followed-flow.ts'
import { DirectionBufferPool } from './frame/direction-buffer-pool.ts'
import { FrameReader } from './frame/frame-reader.ts'

export interface EngineOptions {
  emit(call: Call): void
  /** The first packet of a flow. */
  opened?(flow: Flow): void
  /** A flow has ended and its calls are emitted. `protocols` are those detected in it. */
  flow?(flow: Flow, protocols: readonly string[]): void
  /** Swaps the sides of a flow whose client was guessed wrongly: `Streams.flip`. */
  flip?(flow: Flow): void
  /** Default: all built-in protocols. */
  readonly protocols?: readonly Dissector[]
  /** Only calls of these protocols are emitted. */
  readonly enabled?: readonly string[]
  readonly limits?: Partial<Limits>
  readonly loss?: Loss
  /** Called for an error other than `Malformed`: a bug in a protocol. The engine continues and counts it. */
  fault?(error: unknown, protocol: string): void
  /** Secrets of encrypted connections, whose content is then dissected, too. Called for each connection. */
  keys?(): KeySource | undefined
  /** Keeps decrypted handshake messages out of the calls of protocol `tls`, which need no right of their own. Default: false. */
  readonly concealDecrypted?: boolean
  /** Default: those of this thread. */
  readonly fastPaths?: FastPaths
}

/** Streams in, calls out. Time is packet time, so the same packets give the same calls. */
export class Engine implements StreamHandler {
  readonly limits: Limits
  readonly loss: Loss
  readonly budget: Budget
  calls = 0
  /** Set later if the streams are created after the engine. */
  flip: ((flow: Flow) => void) | undefined
  readonly #options: EngineOptions
  readonly #context: EngineContext
  readonly #watched: Watched[] = []
  readonly #arena = new Arena()
  readonly #idleFlows = new IdleDatagramFlows()
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
    const shared: EngineContext = {
      limits: this.limits,
      loss: this.loss,
      budget: this.budget,
      frame,
      fastPaths: options.fastPaths ?? threadFastPaths,
      directionBuffers: new DirectionBufferPool(),
      reader: new FrameReader(this.limits, this.loss, frame),
      copy: (bytes, start, end) => arena.copy(bytes, start, end),
      arena,
      candidates: new Candidates(options.protocols ?? Object.values(allProtocols)),
      isEnabled: (protocol) => enabled === undefined || enabled.has(protocol),
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
      keys: () => options.keys?.(),
      concealsDecrypted: options.concealDecrypted === true,
      openPlaintext: undefined,
    }
    const inner = plaintextContext(shared)
    this.#context = {
      ...shared,
      openPlaintext: (parent, session, protocol) => new DecryptedFlow(parent, session, inner, protocol),
    }
  }

  /** The next packets are in these bytes, which will not change: calls may point into them. */
  lasting(bytes: Uint8Array): void {
    this.#arena.setStable(bytes)
    this.#context.fastPaths.memory.begin(bytes)
  }

  open(flow: Flow): void {
    this.#options.opened?.(flow)
    flow.state =
      flow.transport === 'udp'
        ? this.#idleFlows.acquire(flow, undefined)
        : new FollowedFlow(flow, this.#context)
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

  datagram(flow: Flow, side: Side, datagram: Datagram): void {
    let { state } = flow
    if (state instanceof IdleDatagramState) {
      state = this.#idleFlows.acquire(flow, state)
      flow.state = state
    }
    const { frame } = this.#context
    const { data, at, end, wire, time } = datagram
    frame.set(data, at, end, wire - at, time, time)
    if (state instanceof DatagramFlow && state.datagram(side, frame, this.#context)) {
      if (state.idle) flow.state = this.#idleFlows.of(state) ?? state
      return
    }
    const full = this.#expand(flow)
    if (full === undefined) return
    full.datagram(side, datagram)
    flow.state = full.compact() ?? full
  }

  finish(flow: Flow, side: Side, time: number): void {
    followed(flow)?.finish(side, time)
  }

  close(flow: Flow, time: number): void {
    const { state } = flow
    if (state === undefined) return
    const isPlain = state instanceof IdleDatagramState || (state instanceof DatagramFlow && state.idle)
    const over = isPlain ? state : this.#expand(flow)
    if (over === undefined) return
    if (over instanceof FollowedFlow) over.close(time)
    flow.state = undefined
    this.#options.flow?.(flow, over.protocols)
  }

  /** Expires pending requests at `now`. The streams call this as packet time advances. */
  advance(now: number): void {
    if (now < this.#nextSweep) return
    this.#nextSweep = now + this.limits.patience / 8
    for (const watched of [...this.#watched]) {
      const full = watched instanceof DatagramFlow ? this.#expand(watched.flow) : watched
      if (full instanceof FollowedFlow && !full.expire(now)) this.#unwatch(full)
    }
  }

  /** The flow in its full form. */
  #expand(flow: Flow): FollowedFlow | undefined {
    const { state } = flow
    if (state instanceof DatagramFlow) {
      const full = FollowedFlow.restore(state, this.#context)
      flow.state = full
      return full
    }
    return state instanceof FollowedFlow ? state : undefined
  }

  #unwatch(flow: Watched): void {
    const at = flow.watchedAt
    if (at < 0) return
    flow.watchedAt = -1
    const last = this.#watched.pop()
    if (last === undefined || last === flow) return
    this.#watched[at] = last
    last.watchedAt = at
  }
}

/** Plaintext is read while its encrypted flow is read, so the two share no buffers. The sides of both are known. */
function plaintextContext(shared: EngineContext): EngineContext {
  const frame = new ReusedFrame()
  return {
    ...shared,
    frame,
    reader: new FrameReader(shared.limits, shared.loss, frame),
    directionBuffers: new DirectionBufferPool(),
    flip: () => false,
    keys: () => undefined,
  }
}

function followed(flow: Flow): FollowedFlow | undefined {
  return flow.state instanceof FollowedFlow ? flow.state : undefined
}
