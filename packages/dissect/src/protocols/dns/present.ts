import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../call.ts'
import type { Exchange, Presentation } from '../../dissector.ts'
import type { Message } from '../../message.ts'
import { HEADER } from './frame.ts'
import { knownName, nameEnd } from './known-name.ts'
import { type DnsMessage, readMessage } from './message.ts'
import { skipName } from './name.ts'
import { rcodeName, TYPE, typeName } from './names.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = { method: undefined, path: undefined, status: undefined, failure: undefined }
  const asked = request?.head ?? response?.head
  const answered = response?.head ?? (request?.kind === 'event' ? request.head : undefined)
  if (asked !== undefined) readSubject(asked, summary)
  if (answered !== undefined && answered[2] >= 0x80) {
    const rcode = rcodeOf(answered)
    summary.status = rcodeName(rcode)
    if (rcode !== 0) summary.failure = summary.status
  }
  return summary
}

/** Name and type of the first question; of the first answer where nothing was asked. */
function readSubject(head: Uint8Array, into: Draft): void {
  const { length } = head
  try {
    into.path = knownName(head, 0, HEADER, length)
    const at = nameEnd
    if (at + 2 <= length) into.method = typeName((head[at] << 8) | head[at + 1])
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

/** Four bits stand in the header; the rest, if any, in an OPT record at the end: RFC 6891 §6.1.3. */
function rcodeOf(head: Uint8Array): number {
  const low = head[3] & 15
  const additionals = (head[10] << 8) | head[11]
  if (additionals === 0) return low
  try {
    let at = HEADER
    for (let i = (head[4] << 8) | head[5]; i > 0; i--) at = skipName(head, at, head.length) + 4
    for (let i = ((head[6] << 8) | head[7]) + ((head[8] << 8) | head[9]) + additionals; i > 0; i--) {
      at = skipName(head, at, head.length)
      if (at + 10 > head.length) return low
      if (((head[at] << 8) | head[at + 1]) === TYPE.OPT) return (head[at + 4] << 4) | low
      at += 10 + ((head[at + 8] << 8) | head[at + 9])
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return low
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const asked = request?.head === undefined ? undefined : readMessage(request.head)
  const answers = response === undefined ? [] : allMessages(response)
  const all = asked === undefined ? answers : [asked, ...answers]
  if (all.length === 0) return {}
  const { method, path, status } = summarize(exchange)
  return {
    ...(request === undefined ? {} : { request: half(request, { method, path, ...flagsOf(asked) }) }),
    ...(response === undefined ? {} : { response: half(response, { status, ...flagsOf(answers[0]) }) }),
    own: own(all, answers[0] ?? all[0], request, response),
  }
}

function own(
  all: readonly DnsMessage[],
  shown: DnsMessage,
  request: Message | undefined,
  response: Message | undefined,
): NonNullable<Presentation['own']> {
  const questions = all.find((message) => message.questions.length > 0)?.questions ?? []
  const answers = all.flatMap((message) => message.answers)
  const requestLength = lengthOf(request)
  const responseLength = lengthOf(response)
  return {
    id: shown.id,
    opcode: shown.opcode,
    flags: shown.flags,
    ...(shown.response ? { rcode: shown.rcode } : {}),
    questions,
    answers,
    authorities: all.flatMap((message) => message.authorities),
    additionals: all.flatMap((message) => message.additionals),
    ...(shown.edns === undefined ? {} : { edns: shown.edns }),
    question_names: questions.map(({ name }) => name),
    question_types: questions.map(({ type }) => type),
    answer_data: answers.map(({ data }) => data),
    request: request !== undefined,
    response: response !== undefined,
    ...(requestLength === undefined ? {} : { request_length: requestLength }),
    ...(responseLength === undefined ? {} : { response_length: responseLength }),
    total_size: (requestLength ?? 0) + (responseLength ?? 0),
  }
}

function half(message: Message, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const presented: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(values)) if (value !== undefined) presented[key] = value
  if (message.truncated) presented.truncated = true
  return presented
}

function flagsOf(message: DnsMessage | undefined): { readonly flags?: readonly string[] } {
  return message === undefined ? {} : { flags: message.flags }
}

/** The first message is the head; those that followed it in a zone transfer stand in the body, length by length. */
function allMessages({ head, body }: Message): DnsMessage[] {
  const messages = head === undefined ? [] : [readMessage(head)]
  for (let at = 0; body !== undefined && at + 2 + HEADER <= body.length; ) {
    const length = (body[at] << 8) | body[at + 1]
    messages.push(readMessage(body, at + 2, Math.min(body.length, at + 2 + length)))
    at += 2 + length
    if (length < HEADER) break
  }
  return messages
}

/** Without what TCP puts before each message. */
function lengthOf(message: Message | undefined): number | undefined {
  if (message?.head === undefined) return undefined
  return message.head.length + (message.bodySize ?? message.body?.length ?? 0)
}
