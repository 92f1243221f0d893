import type { Side } from '@tapdeck/wire'

/** A value in a message's `fields`: any small JSON value. */
export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [key: string]: FieldValue }

/**
 * One message of a call, as its protocol read it: raw bytes and a few scalars. It is cheap to create, goes to disk
 * and between threads unchanged, and becomes strings or JSON only on demand (`Dissector.present`). `head` and `body`
 * are copies or arena slices that outlive the frame.
 */
export interface Message {
  /** An `event` is a one-way call without a response. */
  readonly kind: 'request' | 'response' | 'event'
  /** The sender, where a conversation learns of a message only while the other side sends (a reset, a push). */
  readonly from?: Side | undefined
  /** Pairs a response with its request (DNS id, HTTP/2 stream, correlation id). Absent: first in, first out. */
  readonly key?: number | string | undefined
  /**
   * The protocol of this message, where one conversation emits calls of another protocol (http for graphql, http2 for
   * grpc).
   */
  readonly protocol?: string | undefined
  /** Raw bytes of the header part (an HTTP head, a DNS message, a command line). */
  readonly head?: Uint8Array | undefined
  /** Raw bytes of the body, at most `limits.body` of them. */
  readonly body?: Uint8Array | undefined
  /** The body's size on the wire, if it differs from what was kept. */
  readonly bodySize?: number | undefined
  /** Part of head or body is missing: over the limit, cut by the snap length, or lost in a gap. */
  readonly truncated?: boolean | undefined
  /** What the dissector noted about the head for its own use; not stored. */
  readonly marks?: number | undefined
  /** What head and body do not contain, or what is costly to find again. */
  readonly fields?: { readonly [name: string]: FieldValue } | undefined
  /**
   * More parts of this message follow under the same key. The engine joins them: the first part's head, all bodies
   * (up to `limits.body`), the last value of each field. A message that has begun does not expire.
   */
  readonly more?: boolean | undefined
  /** Packet times of the first and last byte in microseconds. Default: set by the engine. */
  start?: number | undefined
  end?: number | undefined
  /** Bytes on the wire. Default: set by the engine. */
  size?: number | undefined
}

/** A message that its dissector still writes. */
export type MessageDraft = { -readonly [K in keyof Message]: Message[K] }

/**
 * A message with all members present, so that all messages have one hidden class and setting a member allocates
 * nothing.
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

/** A copy as a draft. All drafts have one hidden class, which keeps the code that reads them monomorphic. */
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

/** Both sides switch to another protocol: an upgrade, STARTTLS, a tunnel. */
export interface Handoff {
  readonly kind: 'handoff'
  readonly to: string
  /** What the next protocol needs to know (a WebSocket's path and extensions). */
  readonly context?: { readonly [key: string]: unknown }
  /** A last message of the protocol that ends here, such as the 101 response. */
  readonly message?: Message
}
