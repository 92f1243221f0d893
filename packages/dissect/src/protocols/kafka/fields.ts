import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  kafka_api_key: {
    type: 'integer',
    path: 'kafka.api_key',
    doc: 'Number of the API: 0 is Produce, 1 is Fetch …',
    example: 'kafka_api_key == 0',
  },
  kafka_api_key_name: {
    type: 'string',
    path: 'kafka.api_key_name',
    doc: 'Name of the API: Produce, Fetch, Metadata …',
    example: 'kafka_api_key_name == "Produce"',
  },
  kafka_api_version: {
    type: 'integer',
    path: 'kafka.api_version',
    doc: 'Version of the API that the client chose',
    example: 'kafka_api_version < 3',
  },
  kafka_client_id: {
    type: 'string',
    path: 'kafka.client_id',
    doc: 'Name that the client gives itself',
    example: 'kafka_client_id == "rdkafka"',
  },
  kafka_correlation_id: {
    type: 'integer',
    path: 'kafka.correlation_id',
    doc: 'Number that ties the response to its request',
    example: 'kafka_correlation_id == 7',
  },
  kafka_topics: {
    type: 'list',
    path: 'kafka.topics',
    doc: 'Topics that the call is about; their ids where it has no names',
    example: '"orders" in kafka_topics',
  },
  kafka_group_id: {
    type: 'string',
    path: 'kafka.group_id',
    doc: 'Consumer group',
    example: 'kafka_group_id == "billing"',
  },
  kafka_acks: {
    type: 'integer',
    path: 'kafka.acks',
    doc: 'Acknowledgements that a Produce asks for: 0, 1 or -1 for all',
    example: 'kafka_acks == 0',
  },
  kafka_records: {
    type: 'integer',
    path: 'kafka.records',
    doc: 'Records sent or fetched',
    example: 'kafka_records > 100',
  },
  kafka_keys: {
    type: 'list',
    path: 'kafka.keys',
    doc: 'Keys of the records sent or fetched; their values are in the body',
    example: '"order-17" in kafka_keys',
  },
  kafka_error_code: {
    type: 'integer',
    path: 'kafka.error_code',
    doc: 'First error code of the response that is not 0, else 0',
    example: 'kafka_error_code != 0',
  },
  kafka_error_name: {
    type: 'string',
    path: 'kafka.error_name',
    doc: 'Name of that code',
    example: 'kafka_error_name == "NOT_LEADER_OR_FOLLOWER"',
  },
  kafka_request: {
    type: 'boolean',
    path: 'kafka.request',
    doc: 'The request was seen',
    example: 'kafka_request && !kafka_response',
  },
  kafka_response: {
    type: 'boolean',
    path: 'kafka.response',
    doc: 'A response was seen',
    example: '!kafka_response',
  },
  kafka_request_summary: {
    type: 'string',
    path: 'kafka.request_summary',
    doc: 'Topics, separated by commas',
    example: 'kafka_request_summary.contains("orders")',
  },
  kafka_size: {
    type: 'integer',
    path: 'kafka.size',
    doc: 'Bytes of the request, of the response where there is none',
    example: 'kafka_size > 1000000',
  },
  kafka_request_size: {
    type: 'integer',
    path: 'kafka.request_size',
    doc: 'Bytes of the request',
    example: 'kafka_request_size > 1000000',
  },
  kafka_response_size: {
    type: 'integer',
    path: 'kafka.response_size',
    doc: 'Bytes of the response',
    example: 'kafka_response_size > 1000000',
  },
} as const satisfies Fields
