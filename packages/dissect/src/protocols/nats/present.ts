import { readFields, toHeaders } from '../../content/headers.ts'
import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1, utf8Lossy, word } from '../../text/text.ts'
import { type Span, token, tokenCount, tokenNumber, tokenText } from './line.ts'
import { hasHeaders, operationOf, unknownOperation } from './operations.ts'

const MAX_ERROR_LENGTH = 256
/** The subject of a request has no subscriber. */
const NO_RESPONDERS = 503

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

const span: Span = { start: 0, end: 0 }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  if (request?.head !== undefined) readRequest(request, request.head, summary)
  if (response === undefined) return summary
  const error = response.head === undefined ? undefined : errorOf(response.head)
  summary.status = error === undefined ? 'OK' : 'ERR'
  if (error !== undefined) summary.failure = error
  return summary
}

function readRequest({ body }: Message, head: Uint8Array, into: Draft): void {
  const name = nameOf(head)
  if (name === undefined) return
  into.method = name
  const place = subjectPlace(name)
  if (place > 0 && token(head, 0, head.length, place, span)) into.path = word(head, span.start, span.end)
  const error = errorOf(head)
  if (error !== undefined) {
    into.status = 'ERR'
    into.failure = error
  }
  if (name !== 'HMSG' || body === undefined) return
  const status = statusOf(body)
  if (status > 0) into.status = status
  if (status === NO_RESPONDERS) into.failure = '503 No Responders'
}

function nameOf(head: Uint8Array): string | undefined {
  return (operationOf(head, 0, head.length) ?? unknownOperation(head, 0, head.length))?.name
}

/** Where the subject stands; between servers the account goes before it. */
function subjectPlace(name: string): number {
  if (/^(H?PUB|H?MSG|SUB|LS[+-]|H?LMSG)$/.test(name)) return 1
  return /^(RS[+-]|H?RMSG)$/.test(name) ? 2 : 0
}

/** The code in the first line of a message's headers: `NATS/1.0 503`. */
function statusOf(body: Uint8Array): number {
  if (body[0] !== 0x4e || body[8] !== 0x20) return 0
  let status = 0
  for (let at = 9; at < 12; at++) {
    const digit = body[at] - 0x30
    if (!(digit >= 0 && digit <= 9)) return 0
    status = status * 10 + digit
  }
  return status
}

function errorOf(head: Uint8Array): string | undefined {
  if (head[0] !== 0x2d) return undefined
  return latin1(head, 0, Math.min(head.length, MAX_ERROR_LENGTH))
    .replace(/^-ERR\s*/i, '')
    .replace(/^'|'?\s*$/g, '')
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { failure } = summarize(exchange)
  return {
    ...(request === undefined ? {} : { request: presentMessage(request) }),
    ...(response === undefined ? {} : { response: presentMessage(response) }),
    own: {
      ...(request?.head === undefined ? {} : ownOf(request, request.head)),
      ...(failure === undefined ? {} : { error: failure }),
    },
  }
}

function presentMessage(message: Message): PresentedMessage {
  const { head, body, truncated } = message
  if (head === undefined) return message.fields?.implied === true ? { implied: true } : {}
  const name = operationOf(head, 0, head.length)?.name ?? ''
  const text =
    head[0] === 0x2b || head[0] === 0x2d || /^(INFO|CONNECT)$/.test(name) ? lineText(head) : undefined
  const skip = body === undefined ? 0 : headerSize(name, head, body)
  return {
    ...(body === undefined || skip === 0
      ? {}
      : { headers: toHeaders(readFields(latin1(body, 0, skip).split('\r\n').slice(1))) }),
    ...(body === undefined ? {} : presentBody(body.subarray(skip), undefined, truncated === true)),
    ...(text === undefined ? {} : { body: text }),
    ...(body === undefined ? {} : { body_size: (message.bodySize ?? body.length) - skip }),
    ...(truncated ? { truncated } : {}),
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

function ownOf(request: Message, head: Uint8Array): Record<string, unknown> {
  const name = nameOf(head)
  if (name === undefined) return {}
  const own: Record<string, unknown> = { operation: name }
  const place = subjectPlace(name)
  const subject = place > 0 ? tokenText(head, place) : undefined
  if (subject !== undefined) own.subject = subject
  const words = tokenCount(head)
  if (name === 'SUB') {
    own.sid = tokenText(head, -1)
    if (words === 4) own.queue_group = tokenText(head, 2)
  } else if (name === 'UNSUB') {
    own.sid = tokenText(head, 1)
    if (words === 3) own.max_messages = tokenNumber(head, 0, head.length, 2)
  } else if (name === 'MSG' || name === 'HMSG') own.sid = tokenText(head, 2)
  const replyPlace = replyOf(name, words)
  if (replyPlace > 0) own.reply_to = tokenText(head, replyPlace)
  if (request.body !== undefined)
    own.payload_size = (request.bodySize ?? request.body.length) - headerSize(name, head, request.body)
  const options = name === 'CONNECT' ? optionsOf(head) : undefined
  if (options !== undefined) own.client = options
  return own
}

/** There is a reply subject only if there is one more word. */
function replyOf(name: string, words: number): number {
  if (name === 'PUB') return words === 4 ? 2 : 0
  if (name === 'HPUB') return words === 5 ? 2 : 0
  if (name === 'MSG') return words === 5 ? 3 : 0
  return name === 'HMSG' && words === 6 ? 3 : 0
}

function optionsOf(head: Uint8Array): Record<string, unknown> | undefined {
  try {
    const options: unknown = JSON.parse(lineText(head))
    return typeof options === 'object' && options !== null ? { ...options } : undefined
  } catch {
    return undefined
  }
}
