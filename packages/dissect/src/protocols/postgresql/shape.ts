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
import { recordOf } from '../../sql/field-value.ts'
import { shownStatement } from '../../sql/shown-statement.ts'
import { type Bound, readBound } from './parameters.ts'
import { type Result, readResult } from './result.ts'

type Fields = NonNullable<Message['fields']>

/** What a statement and its answer say. */
interface View extends Exchange {
  readonly summary: Summary
  readonly asked: Fields
  readonly said: Fields
  readonly bound: Bound
  readonly parameters: Bound['values'] | undefined
  readonly columns: readonly string[] | undefined
  /** Rows, or copied data of either direction. */
  readonly text: string | undefined
  readonly copiesIn: boolean
}

const NONE: Fields = {}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const asked = request?.fields ?? NONE
  const said = response?.fields ?? (request?.kind === 'event' ? asked : NONE)
  const types = Array.isArray(asked.types) ? asked.types.filter((type) => typeof type === 'number') : []
  const bound = readBound(request?.body, types)
  const result: Result | undefined =
    response?.body === undefined ? undefined : readResult(response.body, bound.results)
  return {
    protocol,
    request,
    response,
    summary,
    asked,
    said,
    bound,
    parameters: bound.count > 0 ? bound.values : undefined,
    columns: result !== undefined && result.columns.length > 0 ? result.columns : undefined,
    text: result?.text || undefined,
    copiesIn: recordOf(said.copy)?.direction === 'in',
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
    settings: ({ asked }) => asked.settings,
    body: ({ copiesIn, text }) => (copiesIn ? text : undefined),
    body_size: (view) => (view.copiesIn ? bodySize(view) : undefined),
    truncated: requestTruncated,
  },
  response: {
    status: ({ summary }) => summary.status,
    rows: ({ said }) => said.rows,
    tag: ({ said }) => said.tag,
    columns,
    error: ({ said }) => said.error,
    body: ({ copiesIn, text }) => (copiesIn ? undefined : text),
    body_size: (view) => (view.copiesIn ? undefined : bodySize(view)),
    truncated: responseTruncated,
  },
  own: {
    command: {
      from: ({ asked }) => asked.command,
      type: 'string',
      doc: 'Message that made the call: Query, Execute, StartupMessage …',
      example: 'postgresql_command == "Execute"',
    },
    statement: {
      from: shownStatement,
      name: 'postgresql_query',
      type: 'string',
      doc: 'Text of the statement',
      example: 'postgresql_query.contains("orders")',
    },
    statement_name: {
      from: ({ asked }) => asked.name,
      type: 'string',
      doc: 'Name of the prepared statement',
      example: 'postgresql_statement_name == "P0_1"',
    },
    unknown_statement: ({ asked }) => asked.unknown,
    portal: ({ asked }) => asked.portal,
    most_rows: ({ asked }) => asked.most_rows,
    database: {
      from: ({ asked }) => asked.database,
      type: 'string',
      doc: 'Database of the connection, where its beginning was seen',
      example: 'postgresql_database == "shop"',
    },
    user: {
      from: ({ asked }) => asked.user,
      type: 'string',
      doc: 'User of the connection, where its beginning was seen',
      example: 'postgresql_user == "app"',
    },
    parameters: {
      from: parameters,
      type: 'list',
      doc: 'Values bound to the statement, as text',
      example: '"42" in postgresql_parameters',
    },
    parameter_count: ({ bound }) => (bound.count > 0 ? bound.count : undefined),
    function: ({ asked }) => asked.function,
    version: ({ asked }) => asked.version,
    channel: {
      from: ({ asked }) => asked.channel,
      type: 'string',
      doc: 'Channel of a notification',
      example: 'postgresql_channel == "jobs"',
    },
    payload: ({ asked }) => asked.payload,
    rows: {
      from: ({ said }) => said.rows,
      type: 'integer',
      doc: 'Rows that came back',
      example: 'postgresql_rows > 1000',
    },
    tag: {
      from: ({ said }) => said.tag,
      type: 'string',
      doc: 'What the server says it did; of several statements joined by "; "',
      example: 'postgresql_tag == "UPDATE 0"',
    },
    error: {
      from: ({ said }) => said.error,
      parts: {
        code: {
          type: 'string',
          doc: 'SQLSTATE of the error',
          example: 'postgresql_error_code == "23505"',
        },
        message: {
          type: 'string',
          doc: 'Message of the error',
          example: 'postgresql_error_message.contains("duplicate key")',
        },
        severity: {
          type: 'string',
          doc: 'ERROR, FATAL or PANIC',
          example: 'postgresql_error_severity == "FATAL"',
        },
      },
    },
    notices: ({ said }) => said.notices,
    settings: ({ said }) => said.settings,
    copy: ({ said }) => said.copy,
    suspended: ({ said }) => said.suspended,
    skipped: ({ said }) => said.skipped,
    accepted: ({ said }) => said.accepted,
    authentication: ({ said }) => said.mechanism ?? said.authentication,
    transaction: {
      from: ({ said }) => said.transaction,
      type: 'string',
      doc: 'State after a simple query: idle, open or failed',
      example: 'postgresql_transaction == "failed"',
    },
    pid: ({ asked, said }) => said.pid ?? asked.pid,
    columns: {
      from: columns,
      type: 'list',
      doc: 'Names of the columns that came back',
      example: '"email" in postgresql_columns',
    },
    success: {
      from: ({ said, summary }) => (said === NONE ? undefined : summary.failure === undefined),
      type: 'boolean',
      doc: 'The server answered without an error',
      example: '!postgresql_success',
    },
    request_size: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the request, with Parse and Bind before an Execute',
      example: 'postgresql_request_size > 10000',
    },
    response_size: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the answer',
      example: 'postgresql_response_size > 1000000',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'postgresql_total_size > 1000000',
    },
  },
} as const satisfies Shape<View>
