import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  postgresql_command: {
    type: 'string',
    path: 'postgresql.command',
    doc: 'Message that made the call: Query, Execute, StartupMessage …',
    example: 'postgresql_command == "Execute"',
  },
  postgresql_query: {
    type: 'string',
    path: 'postgresql.statement',
    doc: 'Text of the statement',
    example: 'postgresql_query.contains("orders")',
  },
  postgresql_database: {
    type: 'string',
    path: 'postgresql.database',
    doc: 'Database of the connection, where its beginning was seen',
    example: 'postgresql_database == "shop"',
  },
  postgresql_user: {
    type: 'string',
    path: 'postgresql.user',
    doc: 'User of the connection, where its beginning was seen',
    example: 'postgresql_user == "app"',
  },
  postgresql_request_size: {
    type: 'integer',
    path: 'postgresql.request_size',
    doc: 'Bytes of the request, with Parse and Bind before an Execute',
    example: 'postgresql_request_size > 10000',
  },
  postgresql_response_size: {
    type: 'integer',
    path: 'postgresql.response_size',
    doc: 'Bytes of the answer',
    example: 'postgresql_response_size > 1000000',
  },
  postgresql_total_size: {
    type: 'integer',
    path: 'postgresql.total_size',
    doc: 'Bytes of both',
    example: 'postgresql_total_size > 1000000',
  },
  postgresql_success: {
    type: 'boolean',
    path: 'postgresql.success',
    doc: 'The server answered without an error',
    example: '!postgresql_success',
  },
  postgresql_error_code: {
    type: 'string',
    path: 'postgresql.error.code',
    doc: 'SQLSTATE of the error',
    example: 'postgresql_error_code == "23505"',
  },
  postgresql_error_message: {
    type: 'string',
    path: 'postgresql.error.message',
    doc: 'Message of the error',
    example: 'postgresql_error_message.contains("duplicate key")',
  },
  postgresql_error_severity: {
    type: 'string',
    path: 'postgresql.error.severity',
    doc: 'ERROR, FATAL or PANIC',
    example: 'postgresql_error_severity == "FATAL"',
  },
  postgresql_rows: {
    type: 'integer',
    path: 'postgresql.rows',
    doc: 'Rows that came back',
    example: 'postgresql_rows > 1000',
  },
  postgresql_tag: {
    type: 'string',
    path: 'postgresql.tag',
    doc: 'What the server says it did; of several statements joined by "; "',
    example: 'postgresql_tag == "UPDATE 0"',
  },
  postgresql_columns: {
    type: 'list',
    path: 'postgresql.columns',
    doc: 'Names of the columns that came back',
    example: '"email" in postgresql_columns',
  },
  postgresql_parameters: {
    type: 'list',
    path: 'postgresql.parameters',
    doc: 'Values bound to the statement, as text',
    example: '"42" in postgresql_parameters',
  },
  postgresql_statement_name: {
    type: 'string',
    path: 'postgresql.statement_name',
    doc: 'Name of the prepared statement',
    example: 'postgresql_statement_name == "P0_1"',
  },
  postgresql_transaction: {
    type: 'string',
    path: 'postgresql.transaction',
    doc: 'State after a simple query: idle, open or failed',
    example: 'postgresql_transaction == "failed"',
  },
  postgresql_channel: {
    type: 'string',
    path: 'postgresql.channel',
    doc: 'Channel of a notification',
    example: 'postgresql_channel == "jobs"',
  },
} as const satisfies Fields
