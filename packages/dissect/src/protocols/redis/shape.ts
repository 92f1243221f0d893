import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { requestSize, responseSize, totalSize } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { briefText } from '../../text/text.ts'
import { locate, locateNext, type Span } from './arguments.ts'
import { keyPlace } from './summarize.ts'
import { textOf, type Value, ValueReader } from './value.ts'
import { wholeOf } from './whole-of.ts'

const MAX_KEY_LENGTH = 64
const MAX_ARGUMENT_LENGTH = 256
const MAX_ARGUMENTS = 64

interface View extends Exchange {
  readonly summary: Summary
  /** Verb and arguments of the command. */
  readonly words: readonly string[] | undefined
  readonly replies: readonly Value[]
  readonly reply: Pick<PresentedMessage, 'body' | 'body_encoding'>
}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const replies = response === undefined ? [] : valuesOf(response)
  return {
    protocol,
    request,
    response,
    summary,
    words: request?.head === undefined ? undefined : wordsOf(wholeOf(request)),
    replies,
    reply: shownReply(replies, response?.truncated === true),
  }
}

/** One reply, or the confirmations of all channels that were subscribed to at once. */
function valuesOf(message: Message): Value[] {
  const reader = new ValueReader(wholeOf(message))
  const values: Value[] = []
  while (!reader.done) values.push(reader.read())
  return values
}

function shownReply(replies: readonly Value[], truncated: boolean): View['reply'] {
  const [first] = replies
  if (first === undefined) return {}
  const { shown, content } = first
  if (content !== undefined && replies.length === 1) return presentBody(content, undefined, truncated)
  const all = replies.length > 1 ? replies.map((reply) => reply.shown) : shown
  return { body: typeof all === 'string' ? all : JSON.stringify(all) }
}

function wordsOf(whole: Uint8Array): string[] {
  if (whole[0] === 0x2b) return [textOf(whole.subarray(1)).trimEnd()]
  if (whole[0] === 0x24) return ['RDB']
  const words: string[] = []
  const found: Span = { start: 0, end: 0 }
  for (let i = 0; i < MAX_ARGUMENTS && locateWord(whole, i, found); i++) {
    const cut = found.end - found.start > MAX_ARGUMENT_LENGTH
    const text = textOf(whole.subarray(found.start, cut ? found.start + MAX_ARGUMENT_LENGTH : found.end))
    words.push(cut ? `${text}…` : text)
  }
  return words
}

/** The word `index`, where `into` has the one before it. */
function locateWord(whole: Uint8Array, index: number, into: Span): boolean {
  return index > 0 && whole[0] === 0x2a
    ? locateNext(whole, into.end, whole.length, into)
    : locate(whole, 0, whole.length, index, into)
}

/** The way it would be typed. */
function quoted(text: string, _index: number, all: readonly string[]): string {
  if (all.length === 1) return text
  return text === '' || /[\s"']/.test(text) ? JSON.stringify(text) : text
}

function typeOf({ request, replies }: View): string | undefined {
  const [reply] = replies
  if (reply !== undefined || request?.kind !== 'event') return reply?.type
  const { head } = request
  return head === undefined || !'*>+$'.includes(String.fromCharCode(head[0]))
    ? undefined
    : new ValueReader(head).read().type
}

function keyOf({ request }: View): string | undefined {
  const head = request?.head
  const place = head && keyPlace(head)
  return place && briefText(head, place.start, Math.min(place.end, place.start + MAX_KEY_LENGTH))
}

const command = ({ summary }: View) => summary.method

export const shape = {
  read,
  request: {
    command,
    body: ({ words }) => words?.map(quoted).join(' '),
    body_size: requestSize,
    truncated: ({ request }) => request?.truncated || undefined,
  },
  response: {
    type: ({ replies }) => replies[0]?.type,
    body: ({ reply }) => reply.body,
    body_encoding: ({ reply }) => reply.body_encoding,
    body_size: responseSize,
    truncated: ({ response }) => response?.truncated || undefined,
  },
  own: {
    type: {
      from: typeOf,
      type: 'string',
      doc: 'RESP type of the reply, or of the push: Bulk String, Integer, Array, Error …',
      example: 'redis_type == "Error"',
    },
    command: {
      from: command,
      type: 'string',
      doc: 'Verb of the command, in upper case',
      example: 'redis_command == "HGETALL"',
    },
    key: {
      from: keyOf,
      type: 'string',
      doc: 'First key of the command or the channel, at most 64 bytes of it',
      example: 'redis_key.startsWith("session:")',
    },
    args: {
      from: ({ words = [] }) => (words.length > 1 ? words.slice(1) : undefined),
      type: 'list',
      doc: 'Arguments of the command after its verb, the first of them, shortened; passwords are hidden',
      example: '"EX" in redis_args',
    },
    error: {
      from: ({ summary }) => summary.failure,
      type: 'string',
      doc: 'Text of an error reply; of EXEC, that of the first command in it that failed',
      example: 'redis_error.contains("WRONGTYPE")',
    },
    request_size: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the command on the wire',
      example: 'redis_request_size > 100000',
    },
    response_size: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the reply on the wire',
      example: 'redis_response_size > 100000',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of command and reply together',
      example: 'redis_total_size > 1000000',
    },
  },
} as const satisfies Shape<View>
