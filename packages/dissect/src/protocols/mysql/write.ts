import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { LineWriter } from '../../contract/line-writer.ts'
import type { Message } from '../../contract/message.ts'
import type { JsonBytes } from '../../json/json-bytes.ts'
import { jsonFragment } from '../../json/json-fragment.ts'
import { again, place, placeBy, writeBody } from '../../sql/write-parts.ts'
import { readParameters } from './parameters.ts'
import { writeColumns, writeRows } from './write-rows.ts'

const REQUEST = jsonFragment(',"request":')
const RESPONSE = jsonFragment(',"response":')
const OWN = jsonFragment(',"mysql":')
const METHOD = jsonFragment(',"method":')
const PATH = jsonFragment(',"path":')
const STATEMENT = jsonFragment(',"statement":')
const PARAMETERS = jsonFragment(',"parameters":')
const COLUMNS = jsonFragment(',"columns":')
const KEYS = {
  truncated: jsonFragment(',"truncated":'),
  status: jsonFragment(',"status":'),
  rows: jsonFragment(',"rows":'),
  affected_rows: jsonFragment(',"affected_rows":'),
  error: jsonFragment(',"error":'),
  body_size: jsonFragment(',"body_size":'),
  command: jsonFragment(',"command":'),
  statement_id: jsonFragment(',"statement_id":'),
  unknown_statement: jsonFragment(',"unknown_statement":'),
  argument: jsonFragment(',"argument":'),
  database: jsonFragment(',"database":'),
  user: jsonFragment(',"user":'),
  server_version: jsonFragment(',"server_version":'),
  thread: jsonFragment(',"thread":'),
  attributes: jsonFragment(',"attributes":'),
  parameter: jsonFragment(',"parameter":'),
  parameter_count: jsonFragment(',"parameter_count":'),
  column_count: jsonFragment(',"column_count":'),
  results: jsonFragment(',"results":'),
  last_insert_id: jsonFragment(',"last_insert_id":'),
  warnings: jsonFragment(',"warnings":'),
  info: jsonFragment(',"info":'),
  in_transaction: jsonFragment(',"in_transaction":'),
  no_index_used: jsonFragment(',"no_index_used":'),
  slow: jsonFragment(',"slow":'),
  variables: jsonFragment(',"variables":'),
  plugin: jsonFragment(',"plugin":'),
  success: jsonFragment(',"success":'),
  request_size: jsonFragment(',"request_size":'),
  response_size: jsonFragment(',"response_size":'),
  total_size: jsonFragment(',"total_size":'),
} as const

type Fields = Message['fields']

/** Where values stand that are shown again; 0 where there are none. */
const seen = { parameters: 0, parametersEnd: 0, columns: 0, columnsEnd: 0 }

/** What `present` shows of a command and its answer. Files that are loaded, and values sent ahead, are left to that. */
export function write({ request, response }: Exchange, summary: Summary, line: LineWriter): boolean {
  if (request?.kind !== 'request') return false
  const asked = request.fields
  const said = response?.fields
  if (said?.local_file !== undefined || said?.local_bytes !== undefined) return false
  if (asked?.command === 'COM_STMT_SEND_LONG_DATA') return false
  const parameters = readParameters(request.body, asked)
  const { out } = line
  out.fragment(REQUEST)
  const start = out.at
  if (line.method > 0) again(METHOD, line.method, line.methodEnd, out)
  if (line.path > 0) again(PATH, line.path, line.pathEnd, out)
  seen.parameters = place(PARAMETERS, parameters, out)
  seen.parametersEnd = out.at
  out.member(KEYS.truncated, request.truncated)
  out.close(start)
  seen.columns = 0
  const isBinary = asked?.command === 'COM_STMT_EXECUTE' || asked?.command === 'COM_STMT_FETCH'
  if (response !== undefined && !writeResponse(response, isBinary, summary, line)) return false
  const own = out.at + OWN.length
  out.fragment(OWN)
  out.member(KEYS.command, asked?.command)
  if (request.head !== undefined && request.head.length > 0) again(STATEMENT, line.path, line.pathEnd, out)
  else if (request.head !== undefined) out.member(STATEMENT, '')
  out.member(KEYS.statement_id, asked?.id ?? said?.id)
  writeAsked(asked, out)
  if (parameters !== undefined) again(PARAMETERS, seen.parameters, seen.parametersEnd, out)
  out.member(KEYS.parameter_count, parameters?.length ?? said?.parameters)
  writeSaid(said, out)
  out.member(KEYS.plugin, said?.plugin ?? asked?.plugin)
  if (seen.columns > 0) again(COLUMNS, seen.columns, seen.columnsEnd, out)
  if (said !== undefined) out.member(KEYS.success, summary.failure === undefined)
  out.member(KEYS.request_size, request.size)
  out.member(KEYS.response_size, response?.size)
  out.member(KEYS.total_size, (request.size ?? 0) + (response?.size ?? 0))
  out.close(own)
  return true
}

function writeResponse(message: Message, isBinary: boolean, { status }: Summary, line: LineWriter): boolean {
  const { out } = line
  const { fields, body } = message
  const kept = fields?.rows === undefined ? undefined : body
  out.fragment(RESPONSE)
  const start = out.at
  out.member(KEYS.status, status)
  out.member(KEYS.rows, fields?.rows)
  if (kept !== undefined) noteColumns(kept, out)
  out.member(KEYS.affected_rows, fields?.affected_rows)
  out.member(KEYS.error, fields?.error)
  if (kept !== undefined && !writeBody(line, (out) => writeRows(kept, isBinary, out))) return false
  out.member(KEYS.body_size, message.bodySize ?? body?.length)
  out.member(KEYS.truncated, message.truncated)
  out.close(start)
  return true
}

function noteColumns(body: Uint8Array, out: JsonBytes): void {
  const start = placeBy(COLUMNS, out, () => writeColumns(body, out))
  if (start === 0) return
  seen.columns = start
  seen.columnsEnd = out.at
}

function writeAsked(asked: Fields, out: JsonBytes): void {
  if (asked === undefined) return
  out.member(KEYS.unknown_statement, asked.unknown)
  out.member(KEYS.argument, asked.argument)
  out.member(KEYS.database, asked.database)
  out.member(KEYS.user, asked.user)
  out.member(KEYS.server_version, asked.server_version)
  out.member(KEYS.thread, asked.thread)
  out.member(KEYS.attributes, asked.attributes)
  out.member(KEYS.parameter, asked.parameter)
}

function writeSaid(said: Fields, out: JsonBytes): void {
  if (said === undefined) return
  out.member(KEYS.rows, said.rows)
  out.member(KEYS.column_count, said.columns)
  out.member(KEYS.results, said.results)
  out.member(KEYS.affected_rows, said.affected_rows)
  out.member(KEYS.last_insert_id, said.last_insert_id)
  out.member(KEYS.warnings, said.warnings)
  out.member(KEYS.info, said.info)
  out.member(KEYS.error, said.error)
  out.member(KEYS.in_transaction, said.transaction)
  out.member(KEYS.no_index_used, said.no_index)
  out.member(KEYS.slow, said.slow)
  out.member(KEYS.variables, said.variables)
}
