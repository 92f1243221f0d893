import { type Headers, readFields, toHeaders } from '../../content/headers.ts'
import { presentBody } from '../../content/present-body.ts'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import type { Shape } from '../../shape/shape.ts'
import { latin1, utf8Lossy } from '../../text/text.ts'
import { tokenCount, tokenNumber, tokenText } from './line.ts'
import { hasHeaders, operationOf } from './operations.ts'
import { nameOf, subjectPlace } from './summarize.ts'

interface View extends Exchange {
  readonly summary: Summary
  readonly asked: ShownMessage
  readonly answered: ShownMessage
  readonly head: Uint8Array
  /** Of the request; empty if there is none. */
  readonly operation: string
  readonly words: number
}

interface ShownMessage {
  readonly headers?: Headers
  readonly body?: string
  readonly body_encoding?: string
  readonly body_size?: number
}

const EMPTY = new Uint8Array(0)

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const head = request?.head ?? EMPTY
  return {
    protocol,
    request,
    response,
    summary,
    asked: shownMessage(request),
    answered: shownMessage(response),
    head,
    operation: nameOf(head) ?? '',
    words: tokenCount(head),
  }
}

function shownMessage(message: Message | undefined): ShownMessage {
  const { head, body, bodySize, truncated } = message ?? {}
  if (head === undefined) return {}
  const name = operationOf(head, 0, head.length)?.name ?? ''
  if (head[0] === 0x2b || head[0] === 0x2d || /^(INFO|CONNECT)$/.test(name)) return { body: lineText(head) }
  if (body === undefined) return {}
  const skip = headerSize(name, head, body)
  return {
    ...(skip > 0 && { headers: toHeaders(readFields(latin1(body, 0, skip).split('\r\n').slice(1))) }),
    ...presentBody(body.subarray(skip), undefined, truncated === true),
    body_size: (bodySize ?? body.length) - skip,
  }
}

function lineText(head: Uint8Array): string {
  return utf8Lossy(head)
    .replace(/^(INFO|CONNECT)\s+/i, '')
    .trimEnd()
}

function headerSize(name: string, head: Uint8Array, body: Uint8Array): number {
  return hasHeaders(name) ? Math.max(0, Math.min(body.length, tokenNumber(head, 0, head.length, -2))) : 0
}

function subjectOf({ operation, head }: View): string | undefined {
  const place = subjectPlace(operation)
  return place > 0 ? tokenText(head, place) : undefined
}

function sidOf({ operation, head }: View): string | undefined {
  if (operation === 'SUB') return tokenText(head, -1)
  if (operation === 'UNSUB') return tokenText(head, 1)
  return operation === 'MSG' || operation === 'HMSG' ? tokenText(head, 2) : undefined
}

/** There is a reply subject only if there is one more word. */
const REPLIES: Readonly<Record<string, { readonly words: number; readonly place: number } | undefined>> = {
  PUB: { words: 4, place: 2 },
  HPUB: { words: 5, place: 2 },
  MSG: { words: 5, place: 3 },
  HMSG: { words: 6, place: 3 },
}

function replyOf({ operation, words, head }: View): string | undefined {
  const reply = REPLIES[operation]
  return reply?.words === words ? tokenText(head, reply.place) : undefined
}

function payloadSize({ request, operation, head }: View): number | undefined {
  const { body, bodySize } = request ?? {}
  if (body === undefined || operation === '') return undefined
  return (bodySize ?? body.length) - headerSize(operation, head, body)
}

function clientOf({ operation, head }: View): Record<string, unknown> | undefined {
  if (operation !== 'CONNECT') return undefined
  try {
    const options: unknown = JSON.parse(lineText(head))
    return typeof options === 'object' && options !== null ? { ...options } : undefined
  } catch {
    return undefined
  }
}

const implied = (message: Message | undefined) =>
  message?.head === undefined && message?.fields?.implied === true ? true : undefined
const truncated = (message: Message | undefined) =>
  (message?.head !== undefined && message.truncated) || undefined

export const shape = {
  read,
  request: {
    implied: ({ request }) => implied(request),
    headers: {
      from: ({ asked }) => asked.headers,
      type: 'map',
      doc: 'Headers of a message, by lower-case name',
      example: '"nats-msg-id" in nats_headers',
    },
    body: ({ asked }) => asked.body,
    body_encoding: ({ asked }) => asked.body_encoding,
    body_size: ({ asked }) => asked.body_size,
    truncated: ({ request }) => truncated(request),
  },
  response: {
    implied: ({ response }) => implied(response),
    headers: ({ answered }) => answered.headers,
    body: ({ answered }) => answered.body,
    body_encoding: ({ answered }) => answered.body_encoding,
    body_size: ({ answered }) => answered.body_size,
    truncated: ({ response }) => truncated(response),
  },
  own: {
    operation: {
      from: ({ operation }) => operation || undefined,
      type: 'string',
      doc: 'What was said: PUB, SUB, MSG, PING …',
      example: 'nats_operation == "PUB"',
    },
    subject: {
      from: subjectOf,
      type: 'string',
      doc: 'Subject of a message or a subscription',
      example: 'nats_subject.startsWith("orders.")',
    },
    sid: {
      from: sidOf,
      type: 'string',
      doc: 'Number of the subscription on its connection',
      example: 'nats_sid == "1"',
    },
    queue_group: {
      from: ({ operation, words, head }) =>
        operation === 'SUB' && words === 4 ? tokenText(head, 2) : undefined,
      type: 'string',
      doc: 'Group that shares the messages of a subscription',
      example: 'nats_queue_group == "workers"',
    },
    max_messages: ({ operation, words, head }) =>
      operation === 'UNSUB' && words === 3 ? tokenNumber(head, 0, head.length, 2) : undefined,
    reply_to: {
      from: replyOf,
      type: 'string',
      doc: 'Subject on which an answer is awaited',
      example: 'nats_reply_to.startsWith("_INBOX.")',
    },
    payload_size: {
      from: payloadSize,
      type: 'integer',
      doc: 'Bytes of the message without its headers',
      example: 'nats_payload_size > 100000',
    },
    client: {
      from: clientOf,
      type: 'map',
      doc: 'How a client introduced itself: name, lang, version, user; credentials are hidden',
      example: 'nats_client["name"] == "shop"',
    },
    error: {
      from: ({ summary }) => summary.failure,
      type: 'string',
      doc: 'Text of an error',
      example: 'nats_error.contains("Permissions Violation")',
    },
  },
} as const satisfies Shape<View>
