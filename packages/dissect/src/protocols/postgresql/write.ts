import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { LineWriter } from '../../contract/line-writer.ts'
import type { Message } from '../../contract/message.ts'
import type { JsonBytes } from '../../json/json-bytes.ts'
import { jsonFragment } from '../../json/json-fragment.ts'
import { again, place, placeBy, writeBody } from '../../sql/write-parts.ts'
import { readBound } from './parameters.ts'
import { writeColumns, writeRows } from './write-rows.ts'

const REQUEST = jsonFragment(',"request":')
const RESPONSE = jsonFragment(',"response":')
const OWN = jsonFragment(',"postgresql":')
const METHOD = jsonFragment(',"method":')
const PATH = jsonFragment(',"path":')
const STATEMENT = jsonFragment(',"statement":')
const PARAMETERS = jsonFragment(',"parameters":')
const PARAMETER_COUNT = jsonFragment(',"parameter_count":')
const COLUMNS = jsonFragment(',"columns":')
const KEYS = {
  settings: jsonFragment(',"settings":'),
  truncated: jsonFragment(',"truncated":'),
  status: jsonFragment(',"status":'),
  rows: jsonFragment(',"rows":'),
  tag: jsonFragment(',"tag":'),
  error: jsonFragment(',"error":'),
  body_size: jsonFragment(',"body_size":'),
  command: jsonFragment(',"command":'),
  statement_name: jsonFragment(',"statement_name":'),
  unknown_statement: jsonFragment(',"unknown_statement":'),
  portal: jsonFragment(',"portal":'),
  most_rows: jsonFragment(',"most_rows":'),
  database: jsonFragment(',"database":'),
  user: jsonFragment(',"user":'),
  function: jsonFragment(',"function":'),
  version: jsonFragment(',"version":'),
  channel: jsonFragment(',"channel":'),
  payload: jsonFragment(',"payload":'),
  notices: jsonFragment(',"notices":'),
  suspended: jsonFragment(',"suspended":'),
  skipped: jsonFragment(',"skipped":'),
  accepted: jsonFragment(',"accepted":'),
  authentication: jsonFragment(',"authentication":'),
  transaction: jsonFragment(',"transaction":'),
  pid: jsonFragment(',"pid":'),
  success: jsonFragment(',"success":'),
  request_size: jsonFragment(',"request_size":'),
  response_size: jsonFragment(',"response_size":'),
  total_size: jsonFragment(',"total_size":'),
} as const

type Fields = Message['fields']

/** Where values stand that are shown again; 0 where there are none. */
const seen = { parameters: 0, parametersEnd: 0, columns: 0, columnsEnd: 0 }

/** What `present` shows of a statement and its answer. Copied data and unrequested messages are left to it. */
export function write({ request, response }: Exchange, summary: Summary, line: LineWriter): boolean {
  if (request?.kind !== 'request') return false
  const asked = request.fields
  const said = response?.fields
  if (said?.copy !== undefined) return false
  const types = Array.isArray(asked?.types) ? asked.types.filter((type) => typeof type === 'number') : []
  const bound = readBound(request.body, types)
  const { out } = line
  out.fragment(REQUEST)
  const start = out.at
  if (line.method > 0) again(METHOD, line.method, line.methodEnd, out)
  if (line.path > 0) again(PATH, line.path, line.pathEnd, out)
  seen.parameters = place(PARAMETERS, bound.count > 0 ? bound.values : undefined, out)
  seen.parametersEnd = out.at
  out.member(KEYS.settings, asked?.settings)
  out.member(KEYS.truncated, request.truncated)
  out.close(start)
  seen.columns = 0
  if (response !== undefined && !writeResponse(response, bound.results, summary, line)) return false
  const own = out.at + OWN.length
  out.fragment(OWN)
  out.member(KEYS.command, asked?.command)
  if (request.head !== undefined && request.head.length > 0) again(STATEMENT, line.path, line.pathEnd, out)
  else if (request.head !== undefined) out.member(STATEMENT, '')
  writeAsked(asked, out)
  if (bound.count > 0) {
    again(PARAMETERS, seen.parameters, seen.parametersEnd, out)
    out.member(PARAMETER_COUNT, bound.count)
  }
  writeLater(asked, out)
  writeSaid(said, out)
  out.member(KEYS.pid, said?.pid ?? asked?.pid)
  if (seen.columns > 0) again(COLUMNS, seen.columns, seen.columnsEnd, out)
  if (said !== undefined) out.member(KEYS.success, summary.failure === undefined)
  out.member(KEYS.request_size, request.size)
  out.member(KEYS.response_size, response?.size)
  out.member(KEYS.total_size, (request.size ?? 0) + (response?.size ?? 0))
  out.close(own)
  return true
}

function writeResponse(
  message: Message,
  formats: readonly boolean[],
  { status }: Summary,
  line: LineWriter,
): boolean {
  const { out } = line
  const { fields, body } = message
  out.fragment(RESPONSE)
  const start = out.at
  out.member(KEYS.status, status)
  out.member(KEYS.rows, fields?.rows)
  out.member(KEYS.tag, fields?.tag)
  if (body !== undefined) noteColumns(body, out)
  out.member(KEYS.error, fields?.error)
  if (body !== undefined && !writeBody(line, (out) => writeRows(body, formats, out))) return false
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
  out.member(KEYS.statement_name, asked.name)
  out.member(KEYS.unknown_statement, asked.unknown)
  out.member(KEYS.portal, asked.portal)
  out.member(KEYS.most_rows, asked.most_rows)
  out.member(KEYS.database, asked.database)
  out.member(KEYS.user, asked.user)
}

function writeLater(asked: Fields, out: JsonBytes): void {
  if (asked === undefined) return
  out.member(KEYS.function, asked.function)
  out.member(KEYS.version, asked.version)
  out.member(KEYS.channel, asked.channel)
  out.member(KEYS.payload, asked.payload)
}

function writeSaid(said: Fields, out: JsonBytes): void {
  if (said === undefined) return
  out.member(KEYS.rows, said.rows)
  out.member(KEYS.tag, said.tag)
  out.member(KEYS.error, said.error)
  out.member(KEYS.notices, said.notices)
  out.member(KEYS.settings, said.settings)
  out.member(KEYS.suspended, said.suspended)
  out.member(KEYS.skipped, said.skipped)
  out.member(KEYS.accepted, said.accepted)
  out.member(KEYS.authentication, said.mechanism ?? said.authentication)
  out.member(KEYS.transaction, said.transaction)
}
