import type { Flow, Side, Transport } from '@tapdeck/wire'
import type { StreamEvent } from '@tapdeck/wire/testing'

/** Something that happened in a flow, after the flow opened and before it closed. */
export interface Turn {
  readonly kind: 'data' | 'datagram' | 'gap' | 'finish'
  readonly side: Side
  /** Microseconds after the flow's start. */
  readonly at: number
  readonly bytes: Uint8Array
  /** Bytes that a gap lost, or that a cut datagram had. */
  readonly length: number
}

/** What one of the three doors of the engine is fed with. */
export type Input =
  | {
      readonly door: 'stream'
      readonly origin: string
      readonly transport: Transport
      readonly ports: readonly [number, number]
      readonly midstream: boolean
      readonly turns: readonly Turn[]
    }
  | {
      readonly door: 'packets'
      readonly origin: string
      readonly link: number
      readonly packets: readonly Uint8Array[]
    }
  | { readonly door: 'file'; readonly origin: string; readonly bytes: Uint8Array }

export type StreamInput = Extract<Input, { door: 'stream' }>

const START = 1_700_000_000_000_000

export function eventsOf(input: StreamInput): StreamEvent[] {
  const half = () => ({ packets: 0, bytes: 0, goodput: 0, missing: 0 })
  const flow: Flow = {
    id: 1,
    transport: input.transport,
    ends: [
      { ip: '10.0.0.1', port: input.ports[0] },
      { ip: '10.0.0.2', port: input.ports[1] },
    ],
    midstream: input.midstream,
    start: START,
    last: START,
    directions: [half(), half()],
    state: undefined,
  }
  const events: StreamEvent[] = [{ kind: 'open', flow, time: START }]
  let time = START
  for (const { kind, side, at, bytes, length } of input.turns) {
    time = Math.max(time, START + at)
    if (kind === 'data' || kind === 'datagram') {
      // Turns of other conversations are mixed in, but streams report data over TCP, and datagrams over all else.
      if (input.transport === 'tcp') events.push({ kind: 'data', flow, side, bytes, time })
      else {
        const whole = Math.max(length, bytes.length)
        events.push({ kind: 'datagram', flow, side, bytes, length: whole, time })
      }
    } else if (kind === 'gap') events.push({ kind, flow, side, missing: length, time, cut: length % 7 === 0 })
    else events.push({ kind, flow, side, time })
  }
  events.push({ kind: 'close', flow, time })
  return events
}

/** Bytes become base64, so that a found input can be kept as a small file. */
export function toText(input: Input): string {
  const plain = (_: string, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
  return `${JSON.stringify(input, plain, 1)}\n`
}

export function fromText(text: string): Input {
  const lively = (_: string, value: unknown) =>
    isBase64(value) ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value
  return JSON.parse(text, lively)
}

function isBase64(value: unknown): value is { readonly base64: string } {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'base64') === 'string'
}
