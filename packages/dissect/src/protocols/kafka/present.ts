import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { API, apiName } from './api-key.ts'
import { errorName, isFailure } from './error-code.ts'
import { readBody } from './read-body.ts'
import type { ShownRecords } from './records.ts'

/** Keys of records that are listed of one call. */
const MAX_KEYS = 100

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
function topicsOf(request: Message | undefined, response: Message | undefined): string[] | undefined {
  const asked = listOf(request?.fields?.topics)
  if (asked !== undefined || (request !== undefined && request.fields?.api !== API.FETCH)) return asked
  return listOf(response?.fields?.topics)
}

function listOf(value: FieldValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status } = summarize(exchange)
  const known = { ...response?.fields, ...request?.fields }
  const error = response?.fields?.error
  const asked = request === undefined ? undefined : readBody(request, 'request')
  const answered = response === undefined ? undefined : readBody(response, 'response')
  const group = asked?.group_id
  return {
    ...(request === undefined ? {} : { request: half(request, { method, path }, asked) }),
    ...(response === undefined ? {} : { response: half(response, { status }, answered) }),
    own: definedValues({
      api_key: known.api,
      api_key_name: method,
      api_version: known.version,
      client_id: known.client,
      correlation_id: known.correlation,
      topics: topicsOf(request, response),
      group_id: typeof group === 'string' ? group : undefined,
      acks: known.acks,
      keys: keysOf(asked, answered),
      records: request?.fields?.records ?? response?.fields?.records,
      error_code: error,
      error_name: typeof error === 'number' && error !== 0 ? errorName(error) : undefined,
      request: request !== undefined,
      response: response !== undefined,
      request_summary: path,
      size: request?.size ?? response?.size,
      request_size: request?.size,
      response_size: response?.size,
    }),
  }
}

/** Different keys of the records; undefined where there is none. */
function keysOf(...bodies: readonly unknown[]): string[] | undefined {
  const keys = new Set<string>()
  for (const body of bodies)
    for (const topic of listIn(body, 'topics'))
      for (const { records } of listIn(topic, 'partitions') as readonly { readonly records?: ShownRecords }[])
        for (const { key } of records?.list ?? []) if (key !== null && keys.size < MAX_KEYS) keys.add(key)
  return keys.size === 0 ? undefined : [...keys]
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return Array.isArray(list) ? list : []
}

function half(
  { body, bodySize, truncated }: Message,
  values: Readonly<Record<string, unknown>>,
  shown: Record<string, unknown> | undefined,
): PresentedMessage {
  return definedValues({
    ...values,
    body: shown === undefined ? undefined : JSON.stringify(shown),
    body_size: bodySize ?? body?.length,
    truncated,
  })
}
