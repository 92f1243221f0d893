import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { hasRequest, hasResponse, requestSize, responseSize } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { errorName } from './error-code.ts'
import { keysOf } from './keys-of.ts'
import { readBody } from './read-body.ts'
import { topicsOf } from './summarize.ts'

type Fields = NonNullable<Message['fields']>

interface View extends Exchange {
  readonly summary: Summary
  /** Of both messages. */
  readonly known: Fields
  readonly asked: Record<string, unknown> | undefined
  readonly answered: Record<string, unknown> | undefined
}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  return {
    protocol,
    request,
    response,
    summary,
    known: { ...response?.fields, ...request?.fields },
    asked: request === undefined ? undefined : readBody(request, 'request'),
    answered: response === undefined ? undefined : readBody(response, 'response'),
  }
}

function shownMessage(
  message: Message | undefined,
  content: Record<string, unknown> | undefined,
): Readonly<Record<string, unknown>> {
  return {
    body: content === undefined ? undefined : JSON.stringify(content),
    body_size: message?.bodySize ?? message?.body?.length,
    truncated: message?.truncated,
  }
}

function groupOf({ asked }: View): string | undefined {
  const group = asked?.group_id
  return typeof group === 'string' ? group : undefined
}

const errorCode = ({ response }: View) => response?.fields?.error

function errorNameOf(view: View): string | undefined {
  const error = errorCode(view)
  return typeof error === 'number' && error !== 0 ? errorName(error) : undefined
}

export const shape = {
  read,
  request: ({ request, asked, summary: { method, path } }) => ({
    method,
    path,
    ...shownMessage(request, asked),
  }),
  response: ({ response, answered, summary: { status } }) => ({
    status,
    ...shownMessage(response, answered),
  }),
  own: {
    api_key: {
      from: ({ known }) => known.api,
      type: 'integer',
      doc: 'Number of the API: 0 is Produce, 1 is Fetch …',
      example: 'kafka_api_key == 0',
    },
    api_key_name: {
      from: ({ summary }) => summary.method,
      type: 'string',
      doc: 'Name of the API: Produce, Fetch, Metadata …',
      example: 'kafka_api_key_name == "Produce"',
    },
    api_version: {
      from: ({ known }) => known.version,
      type: 'integer',
      doc: 'Version of the API that the client chose',
      example: 'kafka_api_version < 3',
    },
    client_id: {
      from: ({ known }) => known.client,
      type: 'string',
      doc: 'Name that the client gives itself',
      example: 'kafka_client_id == "rdkafka"',
    },
    correlation_id: {
      from: ({ known }) => known.correlation,
      type: 'integer',
      doc: 'Number that ties the response to its request',
      example: 'kafka_correlation_id == 7',
    },
    topics: {
      from: ({ request, response }) => topicsOf(request, response),
      type: 'list',
      doc: 'Topics that the call is about; their ids where it has no names',
      example: '"orders" in kafka_topics',
    },
    group_id: {
      from: groupOf,
      type: 'string',
      doc: 'Consumer group',
      example: 'kafka_group_id == "billing"',
    },
    acks: {
      from: ({ known }) => known.acks,
      type: 'integer',
      doc: 'Acknowledgements that a Produce asks for: 0, 1 or -1 for all',
      example: 'kafka_acks == 0',
    },
    records: {
      from: ({ request, response }) => request?.fields?.records ?? response?.fields?.records,
      type: 'integer',
      doc: 'Records sent or fetched',
      example: 'kafka_records > 100',
    },
    keys: {
      from: ({ asked, answered }) => keysOf(asked, answered),
      type: 'list',
      doc: 'Keys of the records sent or fetched; their values are in the body',
      example: '"order-17" in kafka_keys',
    },
    error_code: {
      from: errorCode,
      type: 'integer',
      doc: 'First error code of the response that is not 0, else 0',
      example: 'kafka_error_code != 0',
    },
    error_name: {
      from: errorNameOf,
      type: 'string',
      doc: 'Name of that code',
      example: 'kafka_error_name == "NOT_LEADER_OR_FOLLOWER"',
    },
    request: {
      from: hasRequest,
      type: 'boolean',
      doc: 'The request was seen',
      example: 'kafka_request && !kafka_response',
    },
    response: {
      from: hasResponse,
      type: 'boolean',
      doc: 'A response was seen',
      example: '!kafka_response',
    },
    request_summary: {
      from: ({ summary }) => summary.path,
      type: 'string',
      doc: 'Topics, separated by commas',
      example: 'kafka_request_summary.contains("orders")',
    },
    size: {
      from: ({ request, response }) => request?.size ?? response?.size,
      type: 'integer',
      doc: 'Bytes of the request, of the response where there is none',
      example: 'kafka_size > 1000000',
    },
    request_size: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the request',
      example: 'kafka_request_size > 1000000',
    },
    response_size: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the response',
      example: 'kafka_response_size > 1000000',
    },
  },
} as const satisfies Shape<View>
