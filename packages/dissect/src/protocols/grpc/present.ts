import type { Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { present as presentHttp, summarize as summarizeHttp } from '../http/present.ts'
import { readOutcome } from './outcome.ts'
import { statusName } from './status.ts'
import { timeoutMs } from './timeout.ts'
import { readWebBody, webKind } from './web.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize(exchange: Exchange): Summary {
  const summary: Draft = summarizeHttp(exchange)
  if (summary.path === undefined) delete summary.method
  else summary.method = summary.path.slice(summary.path.lastIndexOf('/') + 1)
  const { status, message } = readOutcome(exchange.response)
  if (status === undefined) return summary
  if (status !== 0)
    summary.failure = message === undefined ? statusName(status) : `${statusName(status)}: ${message}`
  return summary
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const shown = presentHttp(exchange)
  const { status, message } = readOutcome(response)
  const path = shown.request?.path
  const names = typeof path === 'string' ? path.split('/') : []
  const asked = messagesOf(request)
  const answered = messagesOf(response)
  const timeout = shown.request?.headers?.['grpc-timeout']
  const encoding = shown.request?.headers?.['grpc-encoding']
  const answerEncoding = shown.response?.headers?.['grpc-encoding']
  return {
    ...shown,
    ...(shown.response === undefined
      ? {}
      : { response: { ...shown.response, ...(status === undefined ? {} : { grpc_status: status }) } }),
    own: {
      ...shown.own,
      ...(names.length > 1 ? { service: names.slice(1, -1).join('/'), method: names.at(-1) } : {}),
      ...(status === undefined ? {} : { status, status_name: statusName(status) }),
      ...(message === undefined ? {} : { message }),
      ...(asked === undefined ? {} : { request_messages: asked }),
      ...(answered === undefined ? {} : { response_messages: answered }),
      ...(asked === undefined || answered === undefined ? {} : { kind: kindOf(asked, answered) }),
      ...(countLost(request) || countLost(response) ? { messages_lost: true } : {}),
      ...(typeof timeout === 'string' ? { timeout_ms: timeoutMs(timeout) } : {}),
      ...(typeof encoding === 'string' ? { encoding } : {}),
      ...(typeof answerEncoding === 'string' ? { response_encoding: answerEncoding } : {}),
      ...(webKind(request?.head ?? response?.head) === undefined ? {} : { web: true }),
    },
  }
}

/** Counted as they went by; where that was not possible, what is kept of the body says it. */
function messagesOf(message: Message | undefined): number | undefined {
  if (message === undefined) return undefined
  const web = webKind(message.head)
  const counted = message.fields?.messages
  if (typeof counted === 'number' && web !== 'text') return counted
  if (web === undefined) return undefined
  return message.body === undefined ? 0 : readWebBody(message.body, web).messages
}

function countLost(message: Message | undefined): boolean {
  return message?.fields?.messages_lost === true
}

/** By what was said: a stream that carried a single message looks like none. */
function kindOf(asked: number, answered: number): string {
  if (asked > 1) return answered > 1 ? 'bidi_streaming' : 'client_streaming'
  return answered > 1 ? 'server_streaming' : 'unary'
}
