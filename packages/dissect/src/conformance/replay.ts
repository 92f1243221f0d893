import type { Flow, Side, StreamHandler } from '@tapdeck/wire'
import type { StreamEvent } from '@tapdeck/wire/testing'

type MutableFlow = { -readonly [K in keyof Flow]: Flow[K] }

/** How the bytes of one event are split: the end of each piece. The last is the length. */
export type Cuts = (length: number) => readonly number[]

export const whole: Cuts = (length) => [length]
export const byteByByte: Cuts = (length) => Array.from({ length }, (_, index) => index + 1)

/** mulberry32: a seeded generator, so that failures can be reproduced. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export function randomly(random: () => number): Cuts {
  return (length) => {
    const cuts: number[] = []
    for (let at = 0; at < length; ) {
      at = Math.min(length, at + 1 + Math.floor(random() * random() * 200))
      cuts.push(at)
    }
    return cuts
  }
}

const KINDS = [6, 256].map((below) => {
  const random = seeded(below)
  return Uint8Array.from({ length: 64 * 1024 }, () => random() * below)
})

/** Random bytes, or small numbers, which many protocols read as lengths or ends of text. */
export function noise(length: number, random: () => number): Uint8Array {
  const kind = KINDS[Math.floor(random() * KINDS.length)]
  if (length > kind.length) return new Uint8Array(length)
  const at = Math.floor(random() * (kind.length - length))
  return kind.slice(at, at + length)
}

/** Bytes before and after each piece, as in a packet buffer. */
const AROUND = 96

export interface ReplayOptions {
  readonly cuts?: Cuts
  /** Called with the memory of each piece, which then stays unchanged. */
  readonly lasting?: ((bytes: Uint8Array) => void) | undefined
  /** Generates the bytes around each piece. */
  readonly random?: () => number
}

/** Replays recorded stream events to a handler, on flows of its own. The handler may call `flip`. */
export class Replay {
  readonly #handler: StreamHandler
  readonly #cuts: Cuts
  readonly #lasting: ((bytes: Uint8Array) => void) | undefined
  readonly #random: () => number
  readonly #flows = new Map<Flow, MutableFlow>()
  readonly #flipped = new Set<Flow>()

  constructor(handler: StreamHandler, { cuts = whole, lasting, random = seeded(1) }: ReplayOptions = {}) {
    this.#handler = handler
    this.#cuts = cuts
    this.#lasting = lasting
    this.#random = random
  }

  flip(flow: Flow): void {
    if (!this.#flipped.delete(flow)) this.#flipped.add(flow)
    const mutable: MutableFlow = flow
    mutable.ends = [flow.ends[1], flow.ends[0]]
    mutable.directions = [flow.directions[1], flow.directions[0]]
  }

  replay(events: Iterable<StreamEvent>): this {
    for (const event of events) this.#replay(event)
    return this
  }

  #replay(event: StreamEvent): void {
    const handler = this.#handler
    const flow = this.#flow(event.flow)
    if (!('side' in event)) {
      if (event.kind === 'open') handler.open(flow)
      else handler.close(flow, event.time)
      return
    }
    const side = this.#side(flow, event.side)
    if (event.kind === 'data') this.#data(flow, event.side, event.bytes, event.time)
    else if (event.kind === 'gap') handler.gap(flow, side, event.missing, event.time, event.cut ?? false)
    else if (event.kind === 'finish') handler.finish(flow, side, event.time)
    else
      this.#lend(event.bytes, (data, at, end) =>
        handler.datagram(flow, side, { data, at, end, wire: at + event.length, time: event.time }),
      )
  }

  #side(flow: Flow, recordedSide: Side): Side {
    return this.#flipped.has(flow) ? (recordedSide === 0 ? 1 : 0) : recordedSide
  }

  #data(flow: Flow, recordedSide: Side, bytes: Uint8Array, time: number): void {
    let start = 0
    for (const end of this.#cuts(bytes.length)) {
      const side = this.#side(flow, recordedSide)
      this.#lend(bytes.subarray(start, end), (lent, from, to) =>
        this.#handler.data(flow, side, lent, from, to, time),
      )
      start = end
    }
  }

  /** Unless the chunk is stable, bytes are overwritten after the call: a kept view shows that. */
  #lend(bytes: Uint8Array, use: (lent: Uint8Array, start: number, end: number) => void): void {
    const before = Math.floor(this.#random() * AROUND)
    const lent = noise(before + bytes.length + AROUND, this.#random)
    lent.set(bytes, before)
    this.#lasting?.(lent)
    use(lent, before, before + bytes.length)
    if (this.#lasting === undefined) lent.fill(0xaa)
  }

  #flow(original: Flow): MutableFlow {
    let flow = this.#flows.get(original)
    if (flow === undefined) {
      const { id, transport, ends, midstream, start, last, directions } = original
      const { tcp, closed, closedBy, tunnel, vlan } = original
      flow = {
        ...{ id, transport, ends, midstream, start, last, directions, state: undefined },
        ...(tcp === undefined ? {} : { tcp }),
        ...(closed === undefined ? {} : { closed }),
        ...(closedBy === undefined ? {} : { closedBy }),
        ...(tunnel === undefined ? {} : { tunnel }),
        ...(vlan === undefined ? {} : { vlan }),
      }
      this.#flows.set(original, flow)
    }
    return flow
  }
}
