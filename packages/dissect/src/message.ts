import type { Side } from '@tapdeck/wire'

/** What may stand in a message's `fields`: anything JSON can carry, small. */
export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [key: string]: FieldValue }

/**
 * One half of a call as its protocol read it. It is plain data: raw bytes and a few scalars, so that it is cheap
 * to make, goes to disk and between threads as it is, and becomes strings or JSON only when someone looks
 * (`Dissector.present`). `head` and `body` are copies (or arena slices) that outlive the frame.
 */
export interface Message {
  /** An `event` is a call of its own: one-way, nobody answers it. */
  readonly kind: 'request' | 'response' | 'event'
  /** The side that said it, where a conversation learns of it only while the other one speaks (a reset, a push). */
  readonly from?: Side | undefined
  /** What ties a response to its request (DNS id, HTTP/2 stream, correlation id). Absent: first in, first out. */
  readonly key?: number | string | undefined
  /** The protocol this half belongs to, where a conversation speaks for another (http for graphql, http2 for grpc). */
  readonly protocol?: string | undefined
  /** Raw bytes of the header part (an HTTP head, a DNS message, a command line). */
  readonly head?: Uint8Array | undefined
  /** Raw bytes of the body, at most `limits.body` of them. */
  readonly body?: Uint8Array | undefined
  /** The body's true size on the wire, where it differs from what was kept. */
  readonly bodySize?: number | undefined
  /** Part of head or body is missing: over the limit, cut by the snap length, or lost in a gap. */
  readonly truncated?: boolean | undefined
  /** What its protocol noted of its head for itself while the bytes were at hand; not stored. */
  readonly marks?: number | undefined
  /** What head and body do not say, or what is too costly to find again. */
  readonly fields?: { readonly [name: string]: FieldValue } | undefined
  /**
   * More parts of this half follow under the same key. The engine joins them: the first part's head, all bodies
   * one after the other (up to `limits.body`), the last word on each field. A half that has begun is not expired.
   */
  readonly more?: boolean | undefined
  /** Packet times of first and last byte in microseconds; the engine fills them in where a protocol leaves them out. */
  start?: number | undefined
  end?: number | undefined
  /** Bytes on the wire; filled in likewise. */
  size?: number | undefined
}

/** A half while its protocol still writes it. */
export type MessageDraft = { -readonly [K in keyof Message]: Message[K] }

/**
 * A half with room for all of its parts. What is made here has one shape whatever the protocol, and parts that are added
 * later cost no memory of their own: most of what comes by is made here.
 */
export function draftMessage(kind: Message['kind'], head?: Uint8Array, body?: Uint8Array): MessageDraft {
  return {
    kind,
    from: undefined,
    key: undefined,
    protocol: undefined,
    head,
    body,
    bodySize: undefined,
    truncated: undefined,
    marks: undefined,
    fields: undefined,
    more: undefined,
    start: undefined,
    end: undefined,
    size: undefined,
  }
}

/** The same half as a draft, in the shape of all others: code that has met only that shape stays as fast as it is. */
export function redraft(message: Message): MessageDraft {
  const draft = draftMessage(message.kind, message.head, message.body)
  draft.from = message.from
  draft.key = message.key
  draft.protocol = message.protocol
  draft.bodySize = message.bodySize
  draft.truncated = message.truncated
  draft.marks = message.marks
  draft.fields = message.fields
  draft.more = message.more
  draft.start = message.start
  draft.end = message.end
  draft.size = message.size
  return draft
}

/** From here on both sides speak another protocol: an upgrade, STARTTLS, a tunnel. */
export interface Handoff {
  readonly kind: 'handoff'
  readonly to: string
  /** What the next protocol needs to know (a WebSocket's path and extensions). */
  readonly context?: { readonly [key: string]: unknown }
  /** A last message of the protocol that ends here, such as the 101 response. */
  readonly message?: Message
}
