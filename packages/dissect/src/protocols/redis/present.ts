import type { PresentedHalf, Summary } from '../../call.ts'
import { presentBody } from '../../content/present-body.ts'
import type { Exchange, Presentation } from '../../dissector.ts'
import type { Message } from '../../message.ts'
import { latin1 } from '../../text.ts'
import { isWord, keyText, locate, locateNext, locateVerb, type Span } from './arguments.ts'
import { textOf, type Value, ValueReader } from './value.ts'
import { AFTER_STREAMS, type Verb, verbAt } from './verbs.ts'

const LONGEST_VERB = 64
const LONGEST_PATH = 512
export const LONGEST_KEY = 64
const LONGEST_ERROR = 256
export const LONGEST_ARGUMENT = 256
const MOST_ARGUMENTS = 64

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

const ARRAY = 0x2a
const MONITOR: Verb = { name: 'MONITOR', key: 0, countsItsKeys: false }
const SNAPSHOT: Verb = { name: 'RDB', key: 0, countsItsKeys: false }
const NAMELESS: Verb = { name: '', key: 0, countsItsKeys: false }
const span: Span = { start: 0, end: 0 }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = { method: undefined, path: undefined, status: undefined, failure: undefined }
  const head = request?.head
  if (head !== undefined) {
    const verb = verbOf(head)
    if (verb.name !== '') summary.method = verb.name
    if (locateKey(head, verb, span))
      summary.path = keyText(head, span.start, Math.min(span.end, span.start + LONGEST_PATH))
  }
  const answer = response?.head
  if (answer === undefined || answer.length === 0) return summary
  const error = errorOf(answer)
  summary.status = 'OK'
  if (error !== undefined) {
    summary.status = error.split(' ', 1)[0]
    summary.failure = error
  }
  return summary
}

/** A line that MONITOR shows and a snapshot for a replica are no commands, but calls all the same. */
function verbOf(head: Uint8Array): Verb {
  if (head[0] === 0x2b) return MONITOR
  if (head[0] === 0x24) return SNAPSHOT
  if (!locateVerb(head, span)) return NAMELESS
  return verbAt(head, span.start, Math.min(span.end, span.start + LONGEST_VERB))
}

/** The key, where `into` says where the verb stands. */
function locateKey(head: Uint8Array, { key, countsItsKeys }: Verb, into: Span): boolean {
  if (key === 0) return false
  if (key === AFTER_STREAMS) {
    for (let i = 1; i < 32 && locate(head, i, into); i++)
      if (isWord(head, into.start, into.end, 'streams')) return locate(head, i + 1, into)
    return false
  }
  if (countsItsKeys && locate(head, 2, into) && head[into.start] === 0x30) return false
  // Mostly it is the next one.
  const found = key === 1 && head[0] === ARRAY ? locateNext(head, into.end, into) : locate(head, key, into)
  return found && into.end > into.start
}

/** The text of an error; `-` before a line, `!` before a counted one, maybe with attributes before either. */
function errorOf(head: Uint8Array): string | undefined {
  if (head[0] === 0x2d) {
    let end = 1
    while (end < head.length && head[end] !== 0x0d && end <= LONGEST_ERROR) end++
    return latin1(head, 1, end)
  }
  if (head[0] !== 0x21 && head[0] !== 0x7c) return undefined
  return new ValueReader(head).read().error?.slice(0, LONGEST_ERROR)
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, failure } = summarize(exchange)
  const event = request?.kind === 'event'
  const reply = response === undefined ? undefined : valuesOf(response)
  const args = request?.head === undefined ? undefined : argumentsOf(wholeOf(request))
  const type = reply?.[0]?.type ?? (event ? typeOf(request) : undefined)
  const key = keyOf(request)
  return {
    ...(request === undefined ? {} : { request: presentRequest(request, method, args) }),
    ...(response === undefined ? {} : { response: presentResponse(response, reply ?? []) }),
    own: {
      ...(type === undefined ? {} : { type }),
      ...(method === undefined ? {} : { command: method }),
      ...(key === undefined ? {} : { key }),
      ...(args === undefined || args.length < 2 ? {} : { args: args.slice(1) }),
      ...(failure === undefined ? {} : { error: failure }),
      ...(request?.size === undefined ? {} : { request_size: request.size }),
      ...(response?.size === undefined ? {} : { response_size: response.size }),
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    },
  }
}

function keyOf(request: Message | undefined): string | undefined {
  if (request?.head === undefined || !locateKey(request.head, verbOf(request.head), span)) return undefined
  return keyText(request.head, span.start, Math.min(span.end, span.start + LONGEST_KEY))
}

function typeOf({ head }: Message): string | undefined {
  return head === undefined || !'*>+$'.includes(String.fromCharCode(head[0]))
    ? undefined
    : new ValueReader(head).read().type
}

function presentRequest(
  message: Message,
  method: string | undefined,
  args: readonly string[] | undefined,
): PresentedHalf {
  return {
    ...(method === undefined ? {} : { command: method }),
    ...(args === undefined ? {} : { body: args.map(quoted).join(' ') }),
    ...sizes(message),
  }
}

export function presentResponse(message: Message, replies: readonly Value[]): PresentedHalf {
  const [first] = replies
  const truncated = message.truncated === true
  if (first === undefined) return sizes(message)
  const { type, shown, content } = first
  const whole = replies.length > 1 ? replies.map((reply) => reply.shown) : shown
  const body =
    content !== undefined && replies.length === 1
      ? presentBody(content, undefined, truncated)
      : { body: typeof whole === 'string' ? whole : JSON.stringify(whole) }
  return { type, ...body, ...sizes(message) }
}

function sizes(message: Message): PresentedHalf {
  return {
    ...(message.size === undefined ? {} : { body_size: message.size }),
    ...(message.truncated ? { truncated: true } : {}),
  }
}

/** Head and body are one value, cut in two. */
export function wholeOf({ head, body }: Message): Uint8Array {
  if (head === undefined) return body ?? new Uint8Array(0)
  if (body === undefined) return head
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

/** One reply, or the confirmations of all channels that were subscribed to at once. */
export function valuesOf(message: Message): Value[] {
  const reader = new ValueReader(wholeOf(message))
  const values: Value[] = []
  while (!reader.done) values.push(reader.read())
  return values
}

function argumentsOf(whole: Uint8Array): string[] {
  if (whole[0] === 0x2b) return [textOf(whole.subarray(1)).trimEnd()]
  if (whole[0] === 0x24) return ['RDB']
  const args: string[] = []
  const found: Span = { start: 0, end: 0 }
  for (let i = 0; i < MOST_ARGUMENTS && locate(whole, i, found); i++) {
    const cut = found.end - found.start > LONGEST_ARGUMENT
    const text = textOf(whole.subarray(found.start, cut ? found.start + LONGEST_ARGUMENT : found.end))
    args.push(cut ? `${text}…` : text)
  }
  return args
}

/** The way it would be typed. */
function quoted(text: string, _index: number, all: readonly string[]): string {
  if (all.length === 1) return text
  return text === '' || /[\s"']/.test(text) ? JSON.stringify(text) : text
}
