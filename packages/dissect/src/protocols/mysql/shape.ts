import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import {
  requestSize,
  requestTruncated,
  responseSize,
  responseTruncated,
  totalSize,
} from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { shownStatement } from '../../sql/shown-statement.ts'
import { readParameters } from './parameters.ts'
import { readResult } from './result.ts'
import { readText } from './value.ts'

type Fields = NonNullable<Message['fields']>

/** What a command and its answer say. */
interface View extends Exchange {
  readonly summary: Summary
  readonly asked: Fields
  readonly said: Fields
  readonly parameters: readonly (string | null)[] | undefined
  readonly columns: readonly string[] | undefined
  /** Rows, or a file that the server asked for. */
  readonly text: string | undefined
  readonly isFile: boolean
}

const NONE: Fields = {}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const asked = request?.fields ?? NONE
  const said = response?.fields ?? (request?.kind === 'event' ? asked : NONE)
  const { command } = asked
  const isFile = said.local_file !== undefined
  const body = response?.body
  const isBinary = command === 'COM_STMT_EXECUTE' || command === 'COM_STMT_FETCH'
  const rows =
    said.rows !== undefined && body !== undefined && !isFile ? readResult(body, isBinary) : undefined
  const long = command === 'COM_STMT_SEND_LONG_DATA' ? request?.body : undefined
  return {
    protocol,
    request,
    response,
    summary,
    asked,
    said,
    parameters: long === undefined ? readParameters(request?.body, asked) : [readText(long, 0, long.length)],
    columns: rows !== undefined && rows.columns.length > 0 ? rows.columns : undefined,
    text: isFile && body !== undefined ? readText(body, 0, body.length) : rows?.text || undefined,
    isFile,
  }
}

const bodySize = ({ response }: View) => response?.bodySize ?? response?.body?.length
const parameters = (view: View) => view.parameters
const columns = (view: View) => view.columns

export const shape = {
  read,
  request: {
    method: ({ summary }) => summary.method,
    path: ({ summary }) => summary.path,
    parameters,
    body: ({ isFile, text }) => (isFile ? text : undefined),
    body_size: (view) => (view.isFile ? bodySize(view) : undefined),
    truncated: requestTruncated,
  },
  response: {
    status: ({ summary }) => summary.status,
    rows: ({ said }) => said.rows,
    columns,
    affected_rows: ({ said }) => said.affected_rows,
    error: ({ said }) => said.error,
    body: ({ isFile, text }) => (isFile ? undefined : text),
    body_size: (view) => (view.isFile ? undefined : bodySize(view)),
    truncated: responseTruncated,
  },
  own: {
    command: {
      from: ({ asked }) => asked.command,
      type: 'string',
      doc: 'Command: COM_QUERY, COM_STMT_EXECUTE, COM_PING …; HandshakeResponse for the login',
      example: 'mysql_command == "COM_QUERY"',
    },
    statement: {
      from: shownStatement,
      name: 'mysql_query',
      type: 'string',
      doc: 'Text of the statement',
      example: 'mysql_query.contains("orders")',
    },
    statement_id: {
      from: ({ asked, said }) => asked.id ?? said.id,
      type: 'integer',
      doc: 'Number of the prepared statement',
      example: 'mysql_statement_id == 1',
    },
    unknown_statement: ({ asked }) => asked.unknown,
    argument: ({ asked }) => asked.argument,
    database: {
      from: ({ asked }) => asked.database,
      type: 'string',
      doc: 'Database in use, where that is known',
      example: 'mysql_database == "shop"',
    },
    user: {
      from: ({ asked }) => asked.user,
      type: 'string',
      doc: 'User of the connection, where its beginning was seen',
      example: 'mysql_user == "app"',
    },
    server_version: {
      from: ({ asked }) => asked.server_version,
      type: 'string',
      doc: 'Version of the server, at the login',
      example: 'mysql_server_version.contains("MariaDB")',
    },
    thread: ({ asked }) => asked.thread,
    attributes: ({ asked }) => asked.attributes,
    parameter: ({ asked }) => asked.parameter,
    parameters: {
      from: parameters,
      type: 'list',
      doc: 'Values bound to the statement, as text',
      example: '"42" in mysql_parameters',
    },
    parameter_count: ({ parameters, said }) => parameters?.length ?? said.parameters,
    rows: {
      from: ({ said }) => said.rows,
      type: 'integer',
      doc: 'Rows that came back',
      example: 'mysql_rows > 1000',
    },
    column_count: ({ said }) => said.columns,
    results: ({ said }) => said.results,
    affected_rows: {
      from: ({ said }) => said.affected_rows,
      type: 'integer',
      doc: 'Rows that were changed',
      example: 'mysql_affected_rows == 0',
    },
    last_insert_id: {
      from: ({ said }) => said.last_insert_id,
      type: 'integer',
      doc: 'Number given to the row inserted',
      example: 'mysql_last_insert_id > 0',
    },
    warnings: {
      from: ({ said }) => said.warnings,
      type: 'integer',
      doc: 'Count of warnings',
      example: 'mysql_warnings > 0',
    },
    info: ({ said }) => said.info,
    error: {
      from: ({ said }) => said.error,
      parts: {
        code: {
          type: 'integer',
          doc: 'Number of the error',
          example: 'mysql_error_code == 1062',
        },
        message: {
          type: 'string',
          doc: 'Message of the error',
          example: 'mysql_error_message.contains("Duplicate entry")',
        },
        state: {
          type: 'string',
          doc: 'SQLSTATE of the error',
          example: 'mysql_error_state == "23000"',
        },
      },
    },
    in_transaction: ({ said }) => said.transaction,
    no_index_used: ({ said }) => said.no_index,
    slow: ({ said }) => said.slow,
    variables: ({ said }) => said.variables,
    local_file: ({ said }) => said.local_file,
    local_bytes: ({ said }) => said.local_bytes,
    plugin: ({ asked, said }) => said.plugin ?? asked.plugin,
    columns: {
      from: columns,
      type: 'list',
      doc: 'Names of the columns that came back',
      example: '"email" in mysql_columns',
    },
    success: {
      from: ({ said, summary }) => (said === NONE ? undefined : summary.failure === undefined),
      type: 'boolean',
      doc: 'The server answered without an error',
      example: '!mysql_success',
    },
    request_size: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the command',
      example: 'mysql_request_size > 10000',
    },
    response_size: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the answer',
      example: 'mysql_response_size > 1000000',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'mysql_total_size > 1000000',
    },
  },
} as const satisfies Shape<View>
