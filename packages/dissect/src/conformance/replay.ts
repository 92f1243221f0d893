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

/** Tells a handler again what streams once told, on flows of its own. `flip` is for the handler to call. */
export class Replay {
  readonly #handler: StreamHandler
  readonly #cuts: Cuts
  readonly #lasting: ((bytes: Uint8Array) => void) | undefined
  readonly #flows = new Map<Flow, MutableFlow>()
  readonly #flipped = new Set<Flow>()

  /** `lasting` is told of the bytes before each piece, which then stay as they are. */
  constructor(handler: StreamHandler, cuts: Cuts = whole, lasting?: (bytes: Uint8Array) => void) {
    this.#handler = handler
    this.#cuts = cuts
    this.#lasting = lasting
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
    else handler.datagram(flow, side, event.bytes, 0, event.bytes.length, event.length, event.time)
  }

  #side(flow: Flow, told: Side): Side {
    return this.#flipped.has(flow) ? (told === 0 ? 1 : 0) : told
  }

  #data(flow: Flow, told: Side, bytes: Uint8Array, time: number): void {
    let start = 0
    for (const end of this.#cuts(bytes.length)) {
      const side = this.#side(flow, told)
      // Bytes are valid only during the call: whoever keeps a view will see this.
      const lent = bytes.slice(start, end)
      this.#lasting?.(lent)
      this.#handler.data(flow, side, lent, 0, lent.length, time)
      if (this.#lasting === undefined) lent.fill(0xaa)
      start = end
    }
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
