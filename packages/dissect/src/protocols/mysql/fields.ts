import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  mysql_command: {
    type: 'string',
    path: 'mysql.command',
    doc: 'Command: COM_QUERY, COM_STMT_EXECUTE, COM_PING …; HandshakeResponse for the login',
    example: 'mysql_command == "COM_QUERY"',
  },
  mysql_query: {
    type: 'string',
    path: 'mysql.statement',
    doc: 'Text of the statement',
    example: 'mysql_query.contains("orders")',
  },
  mysql_database: {
    type: 'string',
    path: 'mysql.database',
    doc: 'Database in use, where that is known',
    example: 'mysql_database == "shop"',
  },
  mysql_user: {
    type: 'string',
    path: 'mysql.user',
    doc: 'User of the connection, where its beginning was seen',
    example: 'mysql_user == "app"',
  },
  mysql_statement_id: {
    type: 'integer',
    path: 'mysql.statement_id',
    doc: 'Number of the prepared statement',
    example: 'mysql_statement_id == 1',
  },
  mysql_request_size: {
    type: 'integer',
    path: 'mysql.request_size',
    doc: 'Bytes of the command',
    example: 'mysql_request_size > 10000',
  },
  mysql_response_size: {
    type: 'integer',
    path: 'mysql.response_size',
    doc: 'Bytes of the answer',
    example: 'mysql_response_size > 1000000',
  },
  mysql_total_size: {
    type: 'integer',
    path: 'mysql.total_size',
    doc: 'Bytes of both',
    example: 'mysql_total_size > 1000000',
  },
  mysql_success: {
    type: 'boolean',
    path: 'mysql.success',
    doc: 'The server answered without an error',
    example: '!mysql_success',
  },
  mysql_error_code: {
    type: 'integer',
    path: 'mysql.error.code',
    doc: 'Number of the error',
    example: 'mysql_error_code == 1062',
  },
  mysql_error_message: {
    type: 'string',
    path: 'mysql.error.message',
    doc: 'Message of the error',
    example: 'mysql_error_message.contains("Duplicate entry")',
  },
  mysql_error_state: {
    type: 'string',
    path: 'mysql.error.state',
    doc: 'SQLSTATE of the error',
    example: 'mysql_error_state == "23000"',
  },
  mysql_rows: {
    type: 'integer',
    path: 'mysql.rows',
    doc: 'Rows that came back',
    example: 'mysql_rows > 1000',
  },
  mysql_affected_rows: {
    type: 'integer',
    path: 'mysql.affected_rows',
    doc: 'Rows that were changed',
    example: 'mysql_affected_rows == 0',
  },
  mysql_last_insert_id: {
    type: 'integer',
    path: 'mysql.last_insert_id',
    doc: 'Number given to the row inserted',
    example: 'mysql_last_insert_id > 0',
  },
  mysql_warnings: {
    type: 'integer',
    path: 'mysql.warnings',
    doc: 'Count of warnings',
    example: 'mysql_warnings > 0',
  },
  mysql_columns: {
    type: 'list',
    path: 'mysql.columns',
    doc: 'Names of the columns that came back',
    example: '"email" in mysql_columns',
  },
  mysql_parameters: {
    type: 'list',
    path: 'mysql.parameters',
    doc: 'Values bound to the statement, as text',
    example: '"42" in mysql_parameters',
  },
  mysql_server_version: {
    type: 'string',
    path: 'mysql.server_version',
    doc: 'Version of the server, at the login',
    example: 'mysql_server_version.contains("MariaDB")',
  },
} as const satisfies Fields
