import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { PlacedSummary } from '../../message/placed-summary.ts'
import { recordOf, textOf } from '../../sql/field-value.ts'
import { StatementSummary, SUCCEEDED, statementText } from '../../sql/statement-text.ts'
import { verbOf } from '../../sql/verb.ts'
import { readParameters } from './parameters.ts'
import { readResult } from './result.ts'
import { readText } from './value.ts'

type Values = Readonly<Record<string, unknown>>

/** Commands that run a statement, or make it ready to; the others only speak of one. */
const RUNS = new Set(['COM_QUERY', 'COM_STMT_PREPARE', 'COM_STMT_EXECUTE', 'COM_STMT_BULK_EXECUTE'])

export function summarize({ request, response }: Exchange): Summary {
  const succeeded = response instanceof PlacedMessage && response.note === SUCCEEDED
  if (succeeded && request instanceof PlacedMessage && request.note instanceof StatementSummary) {
    const known = request.note.succeeded
    if (known !== undefined) return known
  }
  const summary = new PlacedSummary()
  const asked = request?.fields
  const said = response?.fields ?? (request?.kind === 'event' ? asked : undefined)
  const command = textOf(asked?.command)
  summary.method = command
  let hasStatement = false
  if (request instanceof PlacedMessage) {
    const { headIn, headAt, headEnd } = request
    if (headIn !== undefined) hasStatement = summarizeStatement(headIn, headAt, headEnd, command, summary)
  } else if (request?.head !== undefined)
    hasStatement = summarizeStatement(request.head, 0, request.head.length, command, summary)
  if (!hasStatement && typeof asked?.argument === 'string') summary.setPath(asked.argument)
  if (response !== undefined) summary.status = 'ok'
  const error = succeeded ? undefined : recordOf(said?.error)
  if (error !== undefined) {
    summary.status = typeof error.code === 'number' ? error.code : 'error'
    summary.failure = textOf(error.message) ?? 'unknown error'
  }
  return summary
}

/** The statement `bytes[from, to)` is the path of its call; false where it is empty. */
function summarizeStatement(
  bytes: Uint8Array,
  from: number,
  to: number,
  command: string | undefined,
  summary: PlacedSummary,
): boolean {
  if (from === to) return false
  if (command !== undefined && RUNS.has(command)) summary.method = verbOf(bytes, from, to) ?? command
  summary.placePath(bytes, from, to)
  return true
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status, failure } = summarize(exchange)
  const asked = request?.fields
  const said = response?.fields ?? (request?.kind === 'event' ? asked : undefined)
  const binary = asked?.command === 'COM_STMT_EXECUTE' || asked?.command === 'COM_STMT_FETCH'
  const file = said?.local_file !== undefined
  const body = response?.body
  const rows = said?.rows !== undefined && body !== undefined && !file ? readResult(body, binary) : undefined
  const columns = rows !== undefined && rows.columns.length > 0 ? rows.columns : undefined
  const long = asked?.command === 'COM_STMT_SEND_LONG_DATA' ? request?.body : undefined
  const parameters =
    long === undefined ? readParameters(request?.body, asked) : [readText(long, 0, long.length)]
  const kept = {
    body: file && body !== undefined ? readText(body, 0, body.length) : rows?.text || undefined,
    body_size: response?.bodySize ?? body?.length,
  }
  return {
    ...(request === undefined
      ? {}
      : { request: presentedMessage(request, { method, path, parameters, ...(file ? kept : {}) }) }),
    ...(response === undefined
      ? {}
      : {
          response: presentedMessage(response, {
            status,
            rows: said?.rows,
            columns,
            affected_rows: said?.affected_rows,
            error: said?.error,
            ...(file ? {} : kept),
          }),
        }),
    own: definedValues({
      command: asked?.command,
      statement: request?.head === undefined ? undefined : statementText(request.head),
      statement_id: asked?.id ?? said?.id,
      unknown_statement: asked?.unknown,
      argument: asked?.argument,
      database: asked?.database,
      user: asked?.user,
      server_version: asked?.server_version,
      thread: asked?.thread,
      attributes: asked?.attributes,
      parameter: asked?.parameter,
      parameters,
      parameter_count: parameters?.length ?? said?.parameters,
      ...facts(said),
      plugin: said?.plugin ?? asked?.plugin,
      columns,
      success: said === undefined ? undefined : failure === undefined,
      request_size: request?.size,
      response_size: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

function facts(said: Message['fields']): Values {
  return {
    rows: said?.rows,
    column_count: said?.columns,
    results: said?.results,
    affected_rows: said?.affected_rows,
    last_insert_id: said?.last_insert_id,
    warnings: said?.warnings,
    info: said?.info,
    error: said?.error,
    in_transaction: said?.transaction,
    no_index_used: said?.no_index,
    slow: said?.slow,
    variables: said?.variables,
    local_file: said?.local_file,
    local_bytes: said?.local_bytes,
  }
}

function presentedMessage(message: Message, values: Values): PresentedMessage {
  return definedValues({ ...values, truncated: message.truncated })
}
