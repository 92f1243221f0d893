import type { Flow, Side, StreamHandler } from '@tapdeck/wire'
import type { StreamEvent } from '@tapdeck/wire/testing'

type MutableFlow = { -readonly [K in keyof Flow]: Flow[K] }

/** How the bytes of one event are handed on: ends of the pieces, the last being the length. */
export type Cuts = (length: number) => readonly number[]

export const whole: Cuts = (length) => [length]
export const byteByByte: Cuts = (length) => Array.from({ length }, (_, index) => index + 1)

/** A small generator, so that a failure can be had again: mulberry32. */
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

/** Bytes that mean nothing: any, or small numbers, which are lengths and ends of texts to many. */
export function noise(length: number, random: () => number): Uint8Array {
  const kind = KINDS[Math.floor(random() * KINDS.length)]
  if (length > kind.length) return new Uint8Array(length)
  const at = Math.floor(random() * (kind.length - length))
  return kind.slice(at, at + length)
}

/** Before and behind the bytes of a piece, as other packets of the same memory stand around those of a packet. */
const AROUND = 96

export interface ReplayOptions {
  readonly cuts?: Cuts
  /** Told of the memory of each piece before it, which then stays as it is. */
  readonly lasting?: ((bytes: Uint8Array) => void) | undefined
  /** For what stands around the bytes of a piece, which nobody may heed. */
  readonly random?: () => number
}

/** Tells a handler again what streams once told, on flows of its own. `flip` is for the handler to call. */
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
    mutable.halves = [flow.halves[1], flow.halves[0]]
  }

  tell(events: Iterable<StreamEvent>): this {
    for (const event of events) this.#tell(event)
    return this
  }

  #tell(event: StreamEvent): void {
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
      this.#lend(event.bytes, (bytes, start, end) =>
        handler.datagram(flow, side, bytes, start, end, event.length, event.time),
      )
  }

  #side(flow: Flow, told: Side): Side {
    return this.#flipped.has(flow) ? (told === 0 ? 1 : 0) : told
  }

  #data(flow: Flow, told: Side, bytes: Uint8Array, time: number): void {
    let start = 0
    for (const end of this.#cuts(bytes.length)) {
      const side = this.#side(flow, told)
      this.#lend(bytes.subarray(start, end), (lent, from, to) =>
        this.#handler.data(flow, side, lent, from, to, time),
      )
      start = end
    }
  }

  /** Bytes are valid only during the call, but for those that last: whoever keeps a view will see it. */
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
      const { id, transport, ends, midstream, start, last, halves } = original
      const { tcp, closed, closedBy, tunnel, vlan } = original
      flow = {
        ...{ id, transport, ends, midstream, start, last, halves, state: undefined },
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
