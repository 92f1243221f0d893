import type { Fields } from '../../contract/dissector.ts'

/** Beside those of HTTP, which every GraphQL call has. */
export const fields = {
  graphql_operation_name: {
    type: 'string',
    path: 'graphql.operation_name',
    doc: 'Name of the operation',
    example: 'graphql_operation_name == "GetCart"',
  },
  graphql_operation_type: {
    type: 'string',
    path: 'graphql.operation_type',
    doc: 'query, mutation or subscription',
    example: 'graphql_operation_type == "mutation"',
  },
  graphql_query: {
    type: 'string',
    path: 'graphql.query',
    doc: 'The document that was sent',
    example: 'graphql_query.contains("password")',
  },
  graphql_errors: {
    type: 'integer',
    path: 'graphql.errors',
    doc: 'How many errors the response lists',
    example: 'graphql_errors > 0',
  },
  graphql_error: {
    type: 'string',
    path: 'graphql.error',
    doc: 'Message of the first error',
    example: 'graphql_error.contains("not found")',
  },
  graphql_error_code: {
    type: 'string',
    path: 'graphql.error_code',
    doc: 'Code of the first error, where the server gives one',
    example: 'graphql_error_code == "UNAUTHENTICATED"',
  },
} as const satisfies Fields
