import type { Summary } from '../contract/call.ts'
import type { Exchange } from '../contract/dissector.ts'
import { LINE } from '../contract/line-marks.ts'
import type { LineWriter } from '../contract/line-writer.ts'
import { type JsonFragment, jsonFragment } from '../json/json-fragment.ts'
import { sourceOf } from './present-shape.ts'
import type { Members, Shape, Source, Values } from './shape.ts'

type Column = 'method' | 'path' | 'status'

/** A part of the full call: its key, and the columns that it shows first. */
interface Place {
  readonly key: JsonFragment
  readonly columns: readonly Column[]
  /** Values that are marked in the line. See `LINE`. */
  readonly marks: Readonly<Record<string, number | undefined>>
}

const REQUEST: Place = {
  key: jsonFragment(',"request":'),
  columns: ['method', 'path'],
  marks: { headers: LINE.reqHeaders, body: LINE.reqBody },
}
const RESPONSE: Place = {
  key: jsonFragment(',"response":'),
  columns: ['status'],
  marks: { headers: LINE.respHeaders, body: LINE.respBody },
}
const KEYS = {
  method: jsonFragment(',"method":'),
  path: jsonFragment(',"path":'),
  status: jsonFragment(',"status":'),
}

type WriteObject<View> = (view: View, summary: Summary, line: LineWriter) => void

/** Writes a call into its JSON line as `presentShape` shows it, without an object for it. */
export class ShapeWriter<View> {
  readonly #read: Shape<View>['read']
  readonly #request: WriteObject<View>
  readonly #response: WriteObject<View>
  readonly #own: WriteObject<View>

  constructor(protocol: string, { read, request, response, own }: Shape<View>) {
    this.#read = read
    this.#request = objectWriter(REQUEST, request)
    this.#response = objectWriter(RESPONSE, response)
    this.#own = objectWriter({ key: jsonFragment(`,"${protocol}":`), columns: [], marks: {} }, own)
  }

  write(exchange: Exchange, summary: Summary, line: LineWriter): true {
    const view = this.#read(exchange, summary)
    if (view === undefined) return true
    if (exchange.request !== undefined) this.#request(view, summary, line)
    if (exchange.response !== undefined) this.#response(view, summary, line)
    this.#own(view, summary, line)
    return true
  }
}

function objectWriter<View>(place: Place, members: Members<View> | Values<View>): WriteObject<View> {
  return typeof members === 'function' ? valuesWriter(place, members) : membersWriter(place, members)
}

function membersWriter<View>({ key, columns, marks }: Place, members: Members<View>): WriteObject<View> {
  const first = columns.map((column) => ({
    column,
    from: Object.hasOwn(members, column) ? sourceOf(members[column]) : none,
  }))
  const rest = Object.keys(members)
    .filter((name) => !isColumn(name, columns))
    .map((name) => ({
      key: jsonFragment(`,${JSON.stringify(name)}:`),
      from: sourceOf(members[name]),
      mark: marks[name],
    }))
  return (view, summary, line) => {
    const { out } = line
    out.fragment(key)
    const start = out.at
    for (const { column, from } of first) writeColumn(column, from(view), summary, line)
    for (const { key, from, mark } of rest) writeMember(key, from, mark, view, line)
    out.close(start)
  }
}

const none = () => undefined

function writeMember<View>(
  key: JsonFragment,
  from: Source<View>,
  mark: number | undefined,
  view: View,
  line: LineWriter,
): void {
  const value = from(view)
  if (value === undefined) return
  line.out.fragment(key)
  const start = line.out.at
  line.value(value)
  if (mark !== undefined) line.mark(mark, start)
}

function valuesWriter<View>({ key, columns, marks }: Place, valuesOf: Values<View>): WriteObject<View> {
  return (view, summary, line) => {
    const { out } = line
    const values = valuesOf(view)
    out.fragment(key)
    const begin = out.at
    for (const column of columns) writeColumn(column, values[column], summary, line)
    for (const name in values) {
      const value = values[name]
      if (value === undefined || isColumn(name, columns)) continue
      out.key(name)
      const start = out.at
      line.value(value)
      const mark = marks[name]
      if (mark !== undefined) line.mark(mark, start)
    }
    out.close(begin)
  }
}

/** A value of the message itself takes precedence. */
function writeColumn(column: Column, own: unknown, summary: Summary, line: LineWriter): void {
  const value = own === undefined ? summary[column] : own
  if (value === undefined) return
  line.out.fragment(KEYS[column])
  line.value(value)
}

function isColumn(name: string, columns: readonly Column[]): boolean {
  return columns.some((column) => column === name)
}
