import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { hasRequest, hasResponse } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { HEADER } from './frame.ts'
import { type DnsMessage, type DnsQuestion, type DnsRecord, readMessage } from './message.ts'

interface View extends Exchange {
  readonly summary: Summary
  readonly asked: DnsMessage | undefined
  readonly answered: DnsMessage | undefined
  readonly all: readonly DnsMessage[]
  /** The first answer, else the query. */
  readonly shown: DnsMessage
  readonly questions: readonly DnsQuestion[]
  readonly answers: readonly DnsRecord[]
  readonly requestLength: number | undefined
  readonly responseLength: number | undefined
}

function read({ protocol, request, response }: Exchange, summary: Summary): View | undefined {
  const asked = request?.head === undefined ? undefined : readMessage(request.head)
  const answers = response === undefined ? [] : allMessages(response)
  const [answered] = answers
  const all = asked === undefined ? answers : [asked, ...answers]
  const shown = answered ?? asked
  if (shown === undefined) return undefined
  return {
    protocol,
    request,
    response,
    summary,
    asked,
    answered,
    all,
    shown,
    questions: all.find((message) => message.questions.length > 0)?.questions ?? [],
    answers: all.flatMap((message) => message.answers),
    requestLength: lengthOf(request),
    responseLength: lengthOf(response),
  }
}

/** The first message is the head; those that followed it in a zone transfer are in the body, each after its length. */
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

export const shape = {
  read,
  request: {
    method: ({ summary }) => summary.method,
    path: ({ summary }) => summary.path,
    flags: ({ asked }) => asked?.flags,
    truncated: ({ request }) => request?.truncated || undefined,
  },
  response: {
    status: ({ summary }) => summary.status,
    flags: ({ answered }) => answered?.flags,
    truncated: ({ response }) => response?.truncated || undefined,
  },
  own: {
    id: {
      from: ({ shown }) => shown.id,
      type: 'integer',
      doc: 'Transaction id',
      example: 'dns_id == 4711',
    },
    opcode: {
      from: ({ shown }) => shown.opcode,
      type: 'string',
      doc: 'QUERY, NOTIFY, UPDATE …',
      example: 'dns_opcode == "UPDATE"',
    },
    flags: {
      from: ({ shown }) => shown.flags,
      type: 'list',
      doc: 'aa, tc, rd, ra, ad, cd of the answer, else of the query',
      example: '"tc" in dns_flags',
    },
    rcode: {
      from: ({ shown }) => (shown.response ? shown.rcode : undefined),
      type: 'string',
      doc: 'Outcome: NOERROR, NXDOMAIN, SERVFAIL …',
      example: 'dns_rcode == "NXDOMAIN"',
    },
    questions: ({ questions }) => questions,
    answers: ({ answers }) => answers,
    authorities: ({ all }) => all.flatMap((message) => message.authorities),
    additionals: ({ all }) => all.flatMap((message) => message.additionals),
    edns: ({ shown }) => shown.edns,
    question_names: {
      from: ({ questions }) => questions.map(({ name }) => name),
      name: 'dns_questions',
      type: 'list',
      doc: 'Names that were asked for',
      example: '"example.com" in dns_questions',
    },
    question_types: {
      from: ({ questions }) => questions.map(({ type }) => type),
      type: 'list',
      doc: 'Types that were asked for',
      example: '"AAAA" in dns_question_types',
    },
    answer_data: {
      from: ({ answers }) => answers.map(({ data }) => data),
      name: 'dns_answers',
      type: 'list',
      doc: 'Data of the answers: addresses, names, texts',
      example: '"10.0.0.1" in dns_answers',
    },
    request: {
      from: hasRequest,
      type: 'boolean',
      doc: 'The query was seen',
      example: 'dns_request && !dns_response',
    },
    response: {
      from: hasResponse,
      type: 'boolean',
      doc: 'An answer was seen',
      example: '!dns_response',
    },
    request_length: {
      from: ({ requestLength }) => requestLength,
      type: 'integer',
      doc: 'Bytes of the query',
      example: 'dns_request_length > 200',
    },
    response_length: {
      from: ({ responseLength }) => responseLength,
      type: 'integer',
      doc: 'Bytes of the answer',
      example: 'dns_response_length > 512',
    },
    total_size: {
      from: ({ requestLength = 0, responseLength = 0 }) => requestLength + responseLength,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'dns_total_size > 1000',
    },
  },
} as const satisfies Shape<View>
