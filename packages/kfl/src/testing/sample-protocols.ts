import type { ProtocolFields } from '../catalog.ts'

/** A few fields as dissectors declare them, for tests that need a catalog and no dissector. */
export const sampleProtocols: ProtocolFields = {
  http: {
    name: 'http',
    fields: {
      status_code: {
        type: 'integer',
        path: 'response.status',
        doc: 'Status code',
        example: 'status_code >= 500',
      },
      http_version: {
        type: 'string',
        path: 'request.http_version',
        doc: 'HTTP version',
        example: 'http_version == "2"',
      },
      query_string: {
        type: 'map',
        path: 'request.query',
        doc: 'Query parameters',
        example: 'query_string["page"] == "2"',
      },
    },
  },
  redis: {
    name: 'redis',
    fields: {
      redis_key: { type: 'string', path: 'redis.key', doc: 'Key', example: 'redis_key startswith "cart:"' },
      redis_total_size: {
        type: 'integer',
        path: 'redis.total_size',
        doc: 'Bytes of both',
        example: 'redis_total_size > 1KB',
      },
    },
  },
  mongodb: {
    name: 'mongodb',
    fields: {
      mongodb_success: {
        type: 'boolean',
        path: 'mongodb.success',
        doc: 'Whether it went well',
        example: '!mongodb_success',
      },
      mongodb_document: {
        type: 'json',
        path: 'mongodb.document',
        doc: 'The command',
        example: 'mongodb_document.filter.sku == "A1"',
      },
    },
  },
  dns: {
    name: 'dns',
    fields: {
      dns_questions: {
        type: 'list',
        path: 'dns.questions',
        doc: 'Names asked for',
        example: '"example.com" in dns_questions',
      },
      dns_answers: {
        type: 'list',
        path: 'dns.answers',
        doc: 'Answers',
        example: '"10.0.0.1" in dns_answers',
      },
    },
  },
}
