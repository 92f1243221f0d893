import { type Headers, readFields, toHeaders } from '../../content/headers.ts'
import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import type { Shape } from '../../shape/shape.ts'
import { utf8Lossy } from '../../text/text.ts'
import { addressOf, argumentOf, UNKNOWN } from './command.ts'
import { codeOf, replyLines } from './summarize.ts'

const MAX_HEADERS_LENGTH = 16 * 1024

interface View extends Exchange {
  readonly summary: Summary
  /** The request where it is a command, and its argument. */
  readonly command: Message | undefined
  readonly argument: string
  readonly headers: Headers | undefined
  readonly content: Pick<PresentedMessage, 'body' | 'body_encoding'>
  /** The response, or what the server said first. */
  readonly reply: Message | undefined
  readonly lines: readonly string[]
}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const isGreeting = request?.kind === 'event'
  const command = isGreeting ? undefined : request
  const reply = isGreeting ? request : response
  const { head, body, truncated } = command ?? {}
  return {
    protocol,
    request,
    response,
    summary,
    command,
    argument: head === undefined ? '' : argumentOf(head),
    headers: body === undefined ? undefined : headersOf(body),
    content: presentBody(body, undefined, truncated === true),
    reply,
    lines: reply === undefined ? [] : replyLines(reply),
  }
}

/** Headers of the message itself: RFC 5322 §2.2. */
function headersOf(body: Uint8Array): Headers {
  const text = utf8Lossy(body.subarray(0, MAX_HEADERS_LENGTH))
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length
  const lines = text
    .slice(0, end)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
  return toHeaders(readFields(lines))
}

const replyText = ({ lines }: View) => lines.join('\n')
const messageSize = ({ command }: View) => command?.body && (command.bodySize ?? command.body.length)

function commandOf({ request, summary }: View): string | undefined {
  return request?.head === undefined ? undefined : (summary.method ?? UNKNOWN)
}

function senderOf({ command, summary, argument }: View): unknown {
  if (command?.head === undefined) return undefined
  return summary.method === 'MAIL' ? addressOf(argument) : command.fields?.from
}

function recipientsOf({ command, summary, argument }: View): unknown {
  if (command?.head === undefined) return undefined
  return summary.method === 'RCPT' ? [addressOf(argument)] : command.fields?.to
}

function enhancedCode({ lines }: View): string | undefined {
  return /^([245]\.\d{1,3}\.\d{1,3})\b/.exec(lines[0]?.slice(4) ?? '')?.[1]
}

function textOf({ reply, lines }: View): string | undefined {
  return reply === undefined ? undefined : lines.map((line) => line.slice(4)).join('\n')
}

export const shape = {
  read,
  request: {
    headers: ({ headers }) => headers,
    body: (view) => (view.command === undefined ? replyText(view) : view.content.body),
    body_encoding: ({ content }) => content.body_encoding,
    body_size: messageSize,
    truncated: ({ request }) => request?.truncated || undefined,
  },
  response: {
    body: replyText,
    truncated: ({ response }) => response?.truncated || undefined,
  },
  own: {
    command: {
      from: commandOf,
      type: 'string',
      doc: 'Verb of the command; GREETING for what a server says first',
      example: 'smtp_command == "RCPT"',
    },
    argument: {
      from: ({ argument }) => argument || undefined,
      type: 'string',
      doc: 'What follows the verb; credentials are hidden',
      example: 'smtp_argument.contains("SIZE=")',
    },
    from: {
      from: senderOf,
      type: 'string',
      doc: 'Sender of the envelope, of MAIL and DATA',
      example: 'smtp_from.endsWith("@shop.example")',
    },
    to: {
      from: recipientsOf,
      type: 'list',
      doc: 'Recipients of the envelope, of RCPT and DATA',
      example: '"ann@shop.example" in smtp_to',
    },
    message_size: {
      from: (view) => (view.command?.head === undefined ? undefined : messageSize(view)),
      type: 'integer',
      doc: 'Bytes of the message, or of the chunk',
      example: 'smtp_message_size > 1000000',
    },
    subject: {
      from: ({ command, headers }) => (command?.head === undefined ? undefined : headers?.subject),
      type: 'string',
      doc: 'Subject of the message, as it was sent',
      example: 'smtp_subject.contains("invoice")',
    },
    code: {
      from: ({ reply }) => (reply?.head === undefined ? undefined : codeOf(reply.head)),
      type: 'integer',
      doc: 'Code of the reply',
      example: 'smtp_code >= 500',
    },
    enhanced_code: {
      from: enhancedCode,
      type: 'string',
      doc: 'Enhanced status code of the reply (RFC 3463)',
      example: 'smtp_enhanced_code == "5.1.1"',
    },
    text: {
      from: textOf,
      type: 'string',
      doc: 'Text of the reply, lines joined',
      example: 'smtp_text.contains("greylisted")',
    },
  },
} as const satisfies Shape<View>
