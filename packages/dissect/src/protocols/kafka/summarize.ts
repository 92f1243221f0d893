import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { API, apiName } from './api-key.ts'
import { errorName, isFailure } from './error-code.ts'

export function summarize({ request, response }: Exchange): Summary {
  const known = request ?? response
  const api = known?.fields?.api
  const error = response?.fields?.error
  const topics = topicsOf(request, response)
  return {
    ...(typeof api === 'number' ? { method: apiName(api) } : {}),
    ...(known?.fields?.token === true ? { method: 'SaslToken' } : {}),
    ...(topics === undefined ? {} : { path: topics.join(',') }),
    ...(typeof error === 'number' ? { status: error } : {}),
    ...(typeof error === 'number' && isFailure(error, api) ? { failure: errorName(error) } : {}),
  }
}

/** In a fetch session only what changes is asked for: then the answer says what came. */
export function topicsOf(request: Message | undefined, response: Message | undefined): string[] | undefined {
  const asked = listOf(request?.fields?.topics)
  if (asked !== undefined || (request !== undefined && request.fields?.api !== API.FETCH)) return asked
  return listOf(response?.fields?.topics)
}

function listOf(value: FieldValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}
