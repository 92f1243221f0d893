import type { Datagram } from '../datagram.ts'
import type { Flow, Side } from '../flow.ts'
import type { StreamHandler } from '../stream-handler.ts'

export type StreamEvent =
  | { readonly kind: 'open' | 'close'; readonly flow: Flow; readonly time: number }
  | {
      readonly kind: 'data'
      readonly flow: Flow
      readonly side: Side
      readonly bytes: Uint8Array
      readonly time: number
    }
  | {
      readonly kind: 'gap'
      readonly flow: Flow
      readonly side: Side
      readonly missing: number
      readonly time: number
      readonly cut?: boolean
    }
  | {
      readonly kind: 'datagram'
      readonly flow: Flow
      readonly side: Side
      readonly bytes: Uint8Array
      readonly length: number
      readonly time: number
    }
  | { readonly kind: 'finish'; readonly flow: Flow; readonly side: Side; readonly time: number }

/** A stream handler that records all events. */
export class Recorder implements StreamHandler {
  readonly events: StreamEvent[] = []
  readonly flows: Flow[] = []

  open(flow: Flow): void {
    this.flows.push(flow)
    this.events.push({ kind: 'open', flow, time: flow.start })
  }

  data(flow: Flow, side: Side, bytes: Uint8Array, start: number, end: number, time: number): void {
    this.events.push({ kind: 'data', flow, side, bytes: bytes.slice(start, end), time })
  }

  gap(flow: Flow, side: Side, missing: number, time: number, cut: boolean): void {
    this.events.push({ kind: 'gap', flow, side, missing, time, cut })
  }

  datagram(flow: Flow, side: Side, { data, at, end, wire, time }: Datagram): void {
    this.events.push({ kind: 'datagram', flow, side, bytes: data.slice(at, end), length: wire - at, time })
  }

  finish(flow: Flow, side: Side, time: number): void {
    this.events.push({ kind: 'finish', flow, side, time })
  }

  close(flow: Flow, time: number): void {
    this.events.push({ kind: 'close', flow, time })
  }

  /** All bytes of one side as text, holes as `[n]`. */
  text(side: Side, flow?: Flow): string {
    let all = ''
    for (const event of this.events) {
      if (flow !== undefined && event.flow !== flow) continue
      if (event.kind === 'data' && event.side === side) all += new TextDecoder('latin1').decode(event.bytes)
      else if (event.kind === 'gap' && event.side === side) all += `[${event.missing}]`
    }
    return all
  }

  kinds(): string[] {
    return this.events.map((event) => event.kind)
  }
}
