import type { KeySource } from '@tapdeck/tls'
import type { Flow, Side, Transport } from '@tapdeck/wire'
import type { FastPaths } from '../accelerated/fast-paths.ts'
import type { Arena } from '../memory/arena.ts'
import type { Allowance } from '../memory/budget.ts'
import type { PresentedMessage, Summary, TlsSession } from './call.ts'
import type { Limits } from './limits.ts'
import type { LineWriter } from './line-writer.ts'
import type { Handoff, Message } from './message.ts'
import type { Redaction } from './redaction.ts'

export type Verdict = 'yes' | 'no' | 'more'

/** What a conversation knows of the flow that it is in, of any transport. */
export interface Connection {
  readonly flow: Flow
  readonly limits: Limits
  /** Set by the previous protocol in a handoff. `protocol` is its name. */
  readonly context?: { readonly [key: string]: unknown }
  /** The shared memory budget. `Body` uses it; any other buffer of a conversation must too. */
  readonly budget: Allowance
  /** Copies `bytes[start, end)` to a shared arena, so that it outlives the frame. For `head` and `body`. */
  readonly copy: (bytes: Uint8Array, start: number, end: number) => Uint8Array
  /** The same arena, for a `PlacedMessage`. */
  readonly arena: Pick<Arena, 'place' | 'placed'>
  readonly fastPaths: FastPaths
  /** Secrets of encrypted connections, where there are any. */
  readonly keys?: KeySource | undefined
  /** Decrypted handshake messages are described only in the calls inside: a right decides who sees what was decrypted. */
  readonly concealsDecrypted?: boolean
  /** Takes messages before `decode` returns, so that their calls precede those of decrypted data. */
  deliver?(messages: readonly Message[]): void
  /**
   * Where a conversation writes what it decrypts. Absent inside of decrypted data. `session` describes the connection. `protocol`
   * reads it; default: the protocol is detected.
   */
  plaintext?(session: () => TlsSession, protocol?: string): PlaintextSink
}

/** Takes the decrypted bytes of a connection, which are dissected like a connection of their own. */
export interface PlaintextSink {
  data(side: Side, bytes: Uint8Array, time: number): void
  /** An unknown number of bytes is missing. */
  gap(side: Side, time: number): void
  finish(side: Side, time: number): void
}

/**
 * One frame: `bytes[start, end)`. The engine reuses it, so copy what must outlive `decode`. `length` is the true
 * length; if it is larger than `end - start`, the rest was over a limit, cut or lost.
 */
export interface Frame {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly length: number
  /** How many bytes at the end were never sent, because the side closed first. */
  readonly unsent: number
  /** Packet times of the first and the last byte, microseconds. */
  readonly time: number
  readonly endTime: number
}

/** A frame that ends when its side closes (an HTTP/1.0 body, or bytes that the protocol skips). */
export const UNTIL_CLOSE = Number.MAX_SAFE_INTEGER

/** The `to` of a handoff to an unknown protocol: detection starts again (a CONNECT tunnel). */
export const ANY_PROTOCOL = '*'

export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'map' | 'json'

/** A field for filters, columns, docs and MCP tools. */
export interface Field {
  readonly type: FieldType
  /** Its path in the full call, such as `dns.questions`. */
  readonly path: string
  readonly doc: string
  /** A realistic filter that uses it. */
  readonly example: string
}

export type Fields = Readonly<Record<string, Field>>

/** The two messages of a call, from the engine or from disk. */
export interface Exchange {
  readonly protocol: string
  readonly request?: Message | undefined
  readonly response?: Message | undefined
}

/** A call as shown to users: its messages, and the protocol's own fields (under the protocol's name). */
export interface Presentation {
  readonly request?: PresentedMessage
  readonly response?: PresentedMessage
  readonly own?: { readonly [field: string]: unknown }
}

/**
 * The contract of a protocol. A new protocol is one folder with one of these and one line in `protocols/index.ts`;
 * filters, columns, docs and MCP tools are derived from `fields`.
 * The engine buffers, limits, times, pairs, counts, expires and recovers. A protocol only says how long a frame is,
 * what it contains, and where the next one could begin. It throws only `Malformed`, and it uses no clock.
 */
export interface Dissector {
  /** The value of `proto`, also the name of its own fields. */
  readonly name: string
  readonly title: string
  readonly transports: readonly Transport[]
  /** Probed first on these ports. A hint, never proof. */
  readonly ports: readonly number[]
  readonly fields: Fields
  /** Are these the first bytes of one side in this protocol? `more`: not enough bytes to decide. */
  probe(bytes: Uint8Array, start: number, end: number, side: Side, transport: Transport): Verdict
  /**
   * Optional: the same for a server whose client is not in the capture. Called only on one of `ports`, because such
   * responses may have no mark of their own.
   */
  probeResponse?(bytes: Uint8Array, start: number, end: number): Verdict
  open(connection: Connection): Conversation
  /**
   * For datagrams that do not depend on earlier ones: returns one reader shared by many flows, so that a lookup needs
   * no conversation. Unusual datagrams still go to a conversation from `open`.
   */
  datagrams?(flow: Flow): DatagramReader
  /** The common columns. Called for every call on the hot path: no JSON, few strings. */
  summarize(exchange: Exchange): Summary
  /** Everything about the exchange. Called only on demand. */
  present(exchange: Exchange): Presentation
  /**
   * Optional fast path of `present`: writes the same JSON straight into a line (`,"request":{…}` and so on, columns
   * first, headers and bodies marked). Returns false for an exchange that it cannot write; the engine then discards
   * its output and uses `present`.
   */
  write?(exchange: Exchange, summary: Summary, line: LineWriter): boolean
  /** Optional: where its messages have what redaction rules name. Without it, only patterns are searched for. */
  readonly redact?: Redaction
}

/** Returns a request or response with its key, or an event. If it throws `Malformed`, a conversation reads the datagram. */
export type DatagramReader = (frame: Frame, arena: Connection['arena']) => Message

/** Both sides of one connection. State that spans frames is kept here. */
export interface Conversation {
  /**
   * Length of the frame at `start`; 0: more bytes are needed; or `UNTIL_CLOSE`. Not called for datagrams.
   * After 0 it is called again for the same frame, with more bytes or after the other side sent something, so 0 can
   * delay one side until the other has answered. It may be called without bytes (`start === end`): a frame whose
   * length is known beforehand, such as a body, then survives the loss of its first bytes.
   */
  frame(bytes: Uint8Array, start: number, end: number, side: Side): number
  /** How many bytes of the frame just measured `decode` needs; the rest is not copied. Default: all. */
  keep?(side: Side): number
  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined
  /**
   * After lost bytes: where in `[start, end)` the next frame could begin, or -1. Without this method the flow ends at
   * a gap.
   */
  resync?(bytes: Uint8Array, start: number, end: number, side: Side): number
  /**
   * Called for lost bytes, before `resync`, to reset the state of that side. `rest` is what came of a frame of
   * unknown length, mostly empty; the engine reuses it.
   */
  lost?(side: Side, rest: Uint8Array): Message | readonly Message[] | undefined
  /** Called now and then while a request waits for its response: messages that the conversation holds back for too long. */
  overdue?(now: number): readonly Message[] | undefined
  /** That side has ended. `rest` as above. */
  finish?(side: Side, rest: Uint8Array): Message | readonly Message[] | undefined
}
