import type { Flow, Side, Transport } from '@tapdeck/wire'
import type { Arena } from './arena.ts'
import type { Allowance } from './budget.ts'
import type { PresentedHalf, Summary } from './call.ts'
import type { CallLine } from './call-line.ts'
import type { Limits } from './limits.ts'
import type { Handoff, Message } from './message.ts'

export type Verdict = 'yes' | 'no' | 'more'

/** What a conversation knows of the connection it was opened on. */
export interface Connection {
  readonly flow: Flow
  readonly limits: Limits
  /** Handed over by the protocol before this one, if there was one: `protocol` is its name. */
  readonly context?: { readonly [key: string]: unknown }
  /** What all connections together may still hold. `Body` asks it; whatever else a conversation keeps must, too. */
  readonly budget: Allowance
  /** A copy of `bytes[start, end)` that outlives the frame, out of a shared arena: what `head` and `body` are made of. */
  readonly copy: (bytes: Uint8Array, start: number, end: number) => Uint8Array
  /** The same arena, for whoever makes a `PlacedMessage` of what is copied. */
  readonly arena: Pick<Arena, 'place' | 'placed'>
}

/**
 * One whole frame: `bytes[start, end)`. A view that the engine reuses: copy what is to outlive `decode`.
 * `length` is the frame's true length; where it is more than `end - start`, the rest was over a ceiling, cut or lost.
 */
export interface Frame {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly length: number
  /** How many of its last bytes were never sent, because its side ended before. */
  readonly unsent: number
  /** Packet times of the first and the last byte, microseconds. */
  readonly time: number
  readonly endTime: number
}

/** A frame that lasts until its side closes (an HTTP/1.0 body, or what a protocol has no wish to read). */
export const UNTIL_CLOSE = Number.MAX_SAFE_INTEGER

/** The `to` of a handoff whose next protocol is not known: detection begins anew (a CONNECT tunnel). */
export const ANY_PROTOCOL = '*'

export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'map' | 'json'

/** One thing that can be filtered by, shown as a column, documented and told to an assistant. */
export interface Field {
  readonly type: FieldType
  /** Where its value stands in the full call, such as `dns.questions`. */
  readonly path: string
  readonly doc: string
  /** A filter that uses it, as people would write it. */
  readonly example: string
}

export type Fields = Readonly<Record<string, Field>>

/** A call's two halves, as they come out of the engine or back from disk. */
export interface Exchange {
  readonly protocol: string
  readonly request?: Message | undefined
  readonly response?: Message | undefined
}

/** What a person sees of a call: its halves, and the protocol's own object (shown under the protocol's name). */
export interface Presentation {
  readonly request?: PresentedHalf
  readonly response?: PresentedHalf
  readonly own?: { readonly [field: string]: unknown }
}

/**
 * THE contract: all that the house wants to know of a protocol. A new protocol is one folder with one of these
 * and one line in `protocols/index.ts`; filters, columns, docs and MCP texts follow from `fields`.
 *
 * The engine buffers, caps, times, pairs, counts, expires and survives. A protocol only says how long a frame is,
 * what it says, and where the next could begin. It may throw `Malformed` and nothing else; it reads no clock.
 */
export interface Dissector {
  /** The word in `proto`, in filters and in the call's own object. */
  readonly name: string
  readonly title: string
  readonly transports: readonly Transport[]
  /** Tried first on these ports: a hint, never proof. */
  readonly ports: readonly number[]
  readonly fields: Fields
  /** Is this the beginning of what one side says in this protocol? `more`: not decidable yet. */
  probe(bytes: Uint8Array, start: number, end: number, side: Side, transport: Transport): Verdict
  open(connection: Connection): Conversation
  /**
   * How a datagram of that flow is read where none depends on those before it: one function for many flows, so that a question
   * and its answer cost no conversation. What is out of the ordinary is still read by one that `open` makes.
   */
  datagrams?(flow: Flow): DatagramReader
  /** The common columns. Called once a call on the hot path: no JSON, few strings. */
  summarize(exchange: Exchange): Summary
  /** The full picture. Called only when somebody looks. */
  present(exchange: Exchange): Presentation
  /**
   * What `present` shows, written straight into the line of a call, for whoever writes a great many: `,"request":{…}`
   * and so on, columns first, headers and bodies marked. False where the exchange is none of those that it knows to write;
   * what it wrote until then is forgotten. Without it, and then, the line is made of what `present` says.
   */
  write?(exchange: Exchange, summary: Summary, line: CallLine): boolean
}

/** A request or a response with its key, or an event. It may throw `Malformed`: the datagram is then read by a conversation. */
export type DatagramReader = (frame: Frame, arena: Connection['arena']) => Message

/** Both sides of one connection, as its protocol follows it. State that spans frames lives here. */
export interface Conversation {
  /**
   * Length of the frame at `start`; 0: more bytes are needed to tell; `UNTIL_CLOSE`. Datagrams are not asked.
   * After a 0 it is asked again for the same frame, with more bytes or because the other side has spoken: a side
   * can be held back by 0 until the other has answered. It may be asked with no bytes at all (`start === end`):
   * what knows its length beforehand, such as a body, then survives the loss of its first bytes.
   */
  frame(bytes: Uint8Array, start: number, end: number, side: Side): number
  /** How many bytes of the frame just measured `decode` wants to see; the rest passes by uncopied. Default: all. */
  keep?(side: Side): number
  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined
  /** After lost bytes: where in `[start, end)` the next frame could begin, or -1. Without it the flow ends at a gap. */
  resync?(bytes: Uint8Array, start: number, end: number, side: Side): number
  /**
   * Told of lost bytes before `resync`, to drop half-read state of that side. `rest` is what came of a frame whose length was not
   * known yet, mostly nothing; a view that the engine reuses.
   */
  lost?(side: Side, rest: Uint8Array): Message | readonly Message[] | undefined
  /** That side will say nothing more; `rest` as above. */
  finish?(side: Side, rest: Uint8Array): Message | readonly Message[] | undefined
}
