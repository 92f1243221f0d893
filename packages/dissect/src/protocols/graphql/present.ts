import { headerValue } from '../../content/headers.ts'
import { presentBody } from '../../content/present-body.ts'
import type { Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { present as presentHttp, summarize as summarizeHttp } from '../http/present.ts'
import { readAnswer } from './answer.ts'
import { readQuestion } from './question.ts'

export function summarize(exchange: Exchange): Summary {
  const summary = summarizeHttp(exchange)
  if (summary.failure !== undefined && exchange.response?.head === undefined) return summary
  const { error } = readAnswer(bodyText(exchange.response))
  return error === undefined ? summary : { ...summary, failure: error }
}

export function present(exchange: Exchange): Presentation {
  const shown = presentHttp(exchange)
  const query = shown.request?.query
  const question = readQuestion(
    shown.request?.body,
    typeof query === 'object' && query !== null ? Object.entries(query) : [],
  )
  const answer = readAnswer(shown.response?.body)
  return { ...shown, own: { ...shown.own, ...question, ...answer } }
}

function bodyText(message: Message | undefined): string | undefined {
  if (message?.body === undefined || message.head === undefined) return undefined
  const encoding = headerValue(message.head, 'content-encoding')
  const { body, body_encoding } = presentBody(message.body, encoding, message.truncated === true)
  return body_encoding === undefined ? body : undefined
}
