import { readFields, toHeaders } from '../../content/headers.ts'
import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1, utf8Lossy, word } from '../../text/text.ts'
import { addressOf, argumentOf, UNKNOWN, verbOf } from './command.ts'

const MAX_FAILURE_LENGTH = 256
const GREETINGS = new Set([220, 554])

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  const head = request?.head
  if (request?.kind === 'event' && head !== undefined) {
    summary.method = GREETINGS.has(codeOf(head)) ? 'GREETING' : 'REPLY'
    const [, domain] = /^\d{3}[ -](\S+)/.exec(latin1(head)) ?? []
    if (domain !== undefined && summary.method === 'GREETING') summary.path = domain
    readStatus(head, summary)
  } else if (head !== undefined) {
    summary.method = verbOf(head, 0, head.length)
    const path = pathOf(summary.method, head)
    if (path !== undefined && path !== '') summary.path = path
  }
  if (response?.head !== undefined) readStatus(response.head, summary)
  // LMTP: of the replies for each recipient the first that is none of success counts.
  if (response?.body !== undefined && summary.failure === undefined) {
    const [failed] = replyLines(response).filter((line) => line >= '4')
    if (failed !== undefined) readStatus(new TextEncoder().encode(failed), summary)
  }
  return summary
}

function pathOf(verb: string, head: Uint8Array): string | undefined {
  switch (verb) {
    case 'MAIL':
    case 'RCPT':
      return addressOf(argumentOf(head))
    case 'AUTH':
    case 'EHLO':
    case 'HELO':
    case 'LHLO':
      return argumentOf(head).split(' ', 1)[0]
    case 'VRFY':
    case 'EXPN':
    case 'ETRN':
      return argumentOf(head)
    default:
      return undefined
  }
}

function codeOf(head: Uint8Array): number {
  return (head[0] - 0x30) * 100 + (head[1] - 0x30) * 10 + head[2] - 0x30
}

function readStatus(head: Uint8Array, into: Draft): void {
  const code = codeOf(head)
  if (!(code >= 0)) return
  into.status = code
  if (code < 400) return
  let end = 0
  while (end < head.length && end < MAX_FAILURE_LENGTH && head[end] >= 0x20) end++
  into.failure = `${code}${end > 3 ? ' ' : ''}${word(head, Math.min(4, end), end)}`
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const greeting = request?.kind === 'event'
  const reply = greeting ? request : response
  return {
    ...(request === undefined ? {} : { request: greeting ? presentReply(request) : presentRequest(request) }),
    ...(response === undefined ? {} : { response: presentReply(response) }),
    own: {
      ...ownOfRequest(exchange),
      ...(reply === undefined ? {} : ownOfReply(reply)),
    },
  }
}

function presentRequest(message: Message): PresentedMessage {
  const { body, bodySize, truncated } = message
  if (body === undefined) return truncated ? { truncated } : {}
  return {
    headers: headersOf(body),
    ...presentBody(body, undefined, truncated === true),
    body_size: bodySize ?? body.length,
    ...(truncated ? { truncated } : {}),
  }
}

function presentReply(message: Message): PresentedMessage {
  return { body: replyLines(message).join('\n'), ...(message.truncated ? { truncated: true } : {}) }
}

function ownOfRequest(exchange: Exchange): Record<string, unknown> {
  const { request } = exchange
  if (request?.head === undefined) return {}
  const { method = UNKNOWN } = summarize(exchange)
  const own: Record<string, unknown> = { command: method }
  if (request.kind === 'event') return own
  const argument = argumentOf(request.head)
  if (argument !== '') own.argument = argument
  const { from, to } = request.fields ?? {}
  if (method === 'MAIL') own.from = addressOf(argument)
  else if (from !== undefined) own.from = from
  if (method === 'RCPT') own.to = [addressOf(argument)]
  else if (to !== undefined) own.to = to
  if (request.body === undefined) return own
  own.message_size = request.bodySize ?? request.body.length
  const { subject } = headersOf(request.body)
  if (subject !== undefined) own.subject = subject
  return own
}

/** Headers of the message itself: RFC 5322 §2.2. */
function headersOf(body: Uint8Array): ReturnType<typeof toHeaders> {
  const text = utf8Lossy(body.subarray(0, 16 * 1024))
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length
  const lines = text
    .slice(0, end)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
  return toHeaders(readFields(lines))
}

function ownOfReply(message: Message): Record<string, unknown> {
  const lines = replyLines(message)
  const texts = lines.map((line) => line.slice(4))
  const [, enhanced] = /^([245]\.\d{1,3}\.\d{1,3})\b/.exec(texts[0] ?? '') ?? []
  return {
    ...(message.head === undefined ? {} : { code: codeOf(message.head) }),
    ...(enhanced === undefined ? {} : { enhanced_code: enhanced }),
    text: texts.join('\n'),
  }
}

/** Of all replies, where there is one a recipient. */
function replyLines({ head, body }: Message): string[] {
  return [head, body].flatMap((part) => (part === undefined ? [] : utf8Lossy(part).trimEnd().split(/\r?\n/)))
}
