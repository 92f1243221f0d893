import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { LINE } from '../../contract/line-marks.ts'
import type { LineWriter } from '../../contract/line-writer.ts'
import type { Message } from '../../contract/message.ts'
import type { JsonBytes } from '../../json/json-bytes.ts'
import { type JsonFragment, jsonFragment } from '../../json/json-fragment.ts'
import { ScratchBytes } from '../../memory/scratch-bytes.ts'
import { MAX_ARGUMENT_LENGTH, MAX_KEY_LENGTH, presentResponse, valuesOf, wholeOf } from './present.ts'

const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const ARRAY = 0x2a
const BULK = 0x24
const SIMPLE = 0x2b
const ERROR = 0x2d
const INTEGER = 0x3a
const MAX_ARGUMENTS = 64
/** Longer lists are not shown whole. */
const MAX_ELEMENTS = 1000
const LIST = 'Array'
/** Fewer digits than a number can have without losing some. */
const SAFE_DIGITS = 15

const METHOD = jsonFragment(',"request":{"method":')
const PATH = jsonFragment(',"path":')
const COMMAND = jsonFragment(',"command":')
const BODY = jsonFragment(',"body":')
const BODY_SIZE = jsonFragment(',"body_size":')
const TRUNCATED = jsonFragment(',"truncated":true')
const STATUS = jsonFragment(',"response":{"status":')
const TYPE = jsonFragment(',"type":')
const OWN = jsonFragment(',"redis":{')
const OWN_TYPE = jsonFragment('"type":')
const OWN_COMMAND = jsonFragment('"command":')
const KEY = jsonFragment(',"key":')
const ARGS = jsonFragment(',"args":["')
const NEXT_ARG = jsonFragment('","')
const ARGS_END = jsonFragment('"]')
const FAILURE = jsonFragment(',"error":')
const REQUEST_SIZE = jsonFragment(',"request_size":')
const RESPONSE_SIZE = jsonFragment(',"response_size":')
const TOTAL_SIZE = jsonFragment(',"total_size":')
const NULL = jsonFragment('null')
const ELLIPSIS = Buffer.from('…')
const ESCAPED_QUOTE = jsonFragment('\\"')

/** The command that is written. */
const staged = new ScratchBytes(4096)
/** Where the arguments of the command stand, in turn from and to, and whether they must be quoted. */
const places = new Int32Array(MAX_ARGUMENTS * 3)

/** What `present` shows of a command and its reply, out of their bytes. */
export function write({ request, response }: Exchange, summary: Summary, line: LineWriter): boolean {
  const { method, path, failure } = summary
  if (request?.kind !== 'request' || request.head?.[0] !== ARRAY || method === undefined) return false
  const raw = wholeOf(request)
  staged.put(raw)
  const whole = staged.bytes
  const count = locateAll(whole, raw.length)
  if (count <= 0) return false
  const { out } = line
  out.fragment(METHOD)
  out.again(line.method, line.methodEnd)
  if (path !== undefined) {
    out.fragment(PATH)
    out.again(line.path, line.pathEnd)
  }
  out.fragment(COMMAND)
  out.again(line.method, line.methodEnd)
  out.fragment(BODY)
  const body = out.at
  writeCommand(whole, count, out)
  line.mark(LINE.reqBody, body)
  writeSizes(request, out)
  out.byte(0x7d)
  const type = response === undefined ? undefined : writeReply(response, summary, line)
  out.fragment(OWN)
  if (type !== undefined) {
    out.fragment(OWN_TYPE)
    out.string(type)
    out.byte(COMMA)
  }
  out.fragment(OWN_COMMAND)
  out.again(line.method, line.methodEnd)
  if (path !== undefined) {
    const key = path.slice(0, MAX_KEY_LENGTH)
    if (!isAscii(key)) return false
    out.fragment(KEY)
    if (key.length === path.length) out.again(line.path, line.pathEnd)
    else out.string(key)
  }
  if (count > 1) writeArguments(count, out)
  if (failure !== undefined) {
    out.fragment(FAILURE)
    out.string(failure)
  }
  writeNumber(REQUEST_SIZE, request.size, out)
  writeNumber(RESPONSE_SIZE, response?.size, out)
  writeNumber(TOTAL_SIZE, (request.size ?? 0) + (response?.size ?? 0), out)
  out.byte(0x7d)
  return true
}

/** How many arguments there are; -1 where they are cut, too many, or not printable. */
function locateAll(bytes: Uint8Array, length: number): number {
  let count = 0
  let at = 1
  while (at < length && bytes[at] !== LF) at++
  for (at++; at < length; count++) {
    if (count === MAX_ARGUMENTS || bytes[at++] !== BULK) return -1
    let size = 0
    for (; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) size = size * 10 + bytes[at] - 0x30
    if (bytes[at] !== CR || bytes[at + 1] !== LF) return -1
    const start = at + 2
    const end = start + size
    if (end + 2 > length) return -1
    const shown = Math.min(end, start + MAX_ARGUMENT_LENGTH)
    let isOdd = size === 0 ? 1 : 0
    for (let i = start; i < shown; i++) {
      const byte = bytes[i]
      if (byte < SPACE || byte > 0x7e) return -1
      if (byte === SPACE || byte === QUOTE || byte === 0x27) isOdd = 1
    }
    places[count * 3] = start
    places[count * 3 + 1] = end
    places[count * 3 + 2] = isOdd
    at = end + 2
  }
  return count
}

/** The way it would be typed. */
function writeCommand(bytes: Uint8Array, count: number, out: JsonBytes): void {
  out.byte(QUOTE)
  for (let i = 0; i < count; i++) {
    const start = places[i * 3]
    const end = places[i * 3 + 1]
    if (i > 0) out.byte(SPACE)
    if (count > 1 && places[i * 3 + 2] === 1) {
      out.fragment(ESCAPED_QUOTE)
      out.twice(bytes, start, Math.min(end, start + MAX_ARGUMENT_LENGTH))
      if (end - start > MAX_ARGUMENT_LENGTH) out.copy(ELLIPSIS)
      out.fragment(ESCAPED_QUOTE)
    } else writeArgument(start, end, out)
  }
  out.byte(QUOTE)
}

function writeArguments(count: number, out: JsonBytes): void {
  for (let i = 1; i < count; i++) {
    out.fragment(i === 1 ? ARGS : NEXT_ARG)
    writeArgument(places[i * 3], places[i * 3 + 1], out)
  }
  out.fragment(ARGS_END)
}

function writeArgument(start: number, end: number, out: JsonBytes): void {
  out.staged(staged, start, Math.min(end, start + MAX_ARGUMENT_LENGTH))
  if (end - start > MAX_ARGUMENT_LENGTH) out.copy(ELLIPSIS)
}

/** The response's half. What type its value is of, undefined where there is none. */
function writeReply(message: Message, { status }: Summary, line: LineWriter): string | undefined {
  const { out } = line
  const before = out.at
  out.fragment(STATUS)
  if (status === undefined) return writeOddReply(message, before, status, line)
  out.again(line.status, line.statusEnd)
  out.fragment(TYPE)
  const bytes = wholeOf(message)
  const { length } = bytes
  if (bytes[length - 1] !== LF || bytes[length - 2] !== CR)
    return writeOddReply(message, before, status, line)
  const type = writeValue(bytes, length - 2, line)
  if (type === undefined) return writeOddReply(message, before, status, line)
  writeSizes(message, out)
  out.byte(0x7d)
  return type
}

/** Type and body of a reply that is one plain value and ends at `end`; undefined where it is not. */
function writeValue(bytes: Uint8Array, end: number, line: LineWriter): string | undefined {
  const { out } = line
  const mark = bytes[0]
  if (mark === BULK) return writeBulk(bytes, end, line)
  if (mark === ARRAY) return writeList(bytes, end, line)
  if (mark !== SIMPLE && mark !== ERROR && mark !== INTEGER) return undefined
  for (let i = 1; i < end; i++) if (bytes[i] < SPACE || bytes[i] > 0x7e) return undefined
  if (mark === INTEGER && !isPlainInteger(bytes, 1, end)) return undefined
  const type = mark === SIMPLE ? 'Simple String' : mark === ERROR ? 'Error' : 'Integer'
  out.string(type)
  out.fragment(BODY)
  const start = out.at
  out.byte(QUOTE)
  out.printable(bytes, 1, end)
  out.byte(QUOTE)
  line.mark(LINE.respBody, start)
  return type
}

function writeBulk(bytes: Uint8Array, end: number, line: LineWriter): string | undefined {
  const { out } = line
  const isNull = end === 3 && bytes[1] === 0x2d && bytes[2] === 0x31
  let at = 1
  let size = 0
  if (!isNull) {
    for (; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) size = size * 10 + bytes[at] - 0x30
    if (bytes[at] !== CR || bytes[at + 1] !== LF || at + 2 + size !== end) return undefined
    if (size === 0) {
      out.string('Bulk String')
      return 'Bulk String'
    }
  }
  const type = isNull ? 'Null' : 'Bulk String'
  out.string(type)
  out.fragment(BODY)
  const start = out.at
  if (isNull) {
    out.byte(QUOTE)
    out.fragment(NULL)
    out.byte(QUOTE)
  } else if (!out.text(bytes, at + 2, end)) return undefined
  line.mark(LINE.respBody, start)
  return type
}

/** A list of plain values; its JSON is the text of the body. */
function writeList(bytes: Uint8Array, end: number, line: LineWriter): string | undefined {
  const { out } = line
  out.string(LIST)
  out.fragment(BODY)
  const start = out.at
  out.byte(QUOTE)
  out.byte(0x5b)
  const count = digitsAt(bytes, 1)
  if (count < 0 || count > MAX_ELEMENTS) return undefined
  let at = digitsEnd + 2
  for (let i = 0; i < count; i++) {
    if (i > 0) out.byte(COMMA)
    at = writeElement(bytes, at, end, out)
    if (at < 0) return undefined
  }
  if (at !== end + 2) return undefined
  out.byte(0x5d)
  out.byte(QUOTE)
  line.mark(LINE.respBody, start)
  return LIST
}

/** Where the next element begins; -1 where this one is cut, has others in it, or is not printable. */
function writeElement(bytes: Uint8Array, from: number, end: number, out: JsonBytes): number {
  const mark = bytes[from]
  let start = from + 1
  let stop = start
  if (mark === BULK) {
    if (bytes[start] === 0x2d && bytes[start + 1] === 0x31) {
      if (bytes[start + 2] !== CR || bytes[start + 3] !== LF) return -1
      out.fragment(NULL)
      return from + 5
    }
    const size = digitsAt(bytes, start)
    if (size < 0) return -1
    start = digitsEnd + 2
    stop = start + size
    if (stop > end) return -1
  } else {
    if (mark !== INTEGER && mark !== SIMPLE) return -1
    while (stop < end && bytes[stop] !== CR) stop++
    if (stop < end && bytes[stop + 1] !== LF) return -1
  }
  for (let i = start; i < stop; i++) if (bytes[i] < SPACE || bytes[i] > 0x7e) return -1
  if (mark === INTEGER) {
    if (!isPlainInteger(bytes, start, stop)) return -1
    out.part(bytes, start, stop)
  } else {
    out.fragment(ESCAPED_QUOTE)
    out.twice(bytes, start, stop)
    out.fragment(ESCAPED_QUOTE)
  }
  return stop + 2
}

/** The whole line is a number up to nine digits; -1 where it is not. */
function digitsAt(bytes: Uint8Array, from: number): number {
  let at = from
  let value = 0
  for (; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) value = value * 10 + bytes[at] - 0x30
  digitsEnd = at
  return at === from || at - from > 9 || bytes[at] !== CR || bytes[at + 1] !== LF ? -1 : value
}

/** Where the digits end that were read last. */
let digitsEnd = 0

/** As `present` has it. */
function writeOddReply(
  message: Message,
  before: number,
  status: Summary['status'],
  line: LineWriter,
): string | undefined {
  const values = valuesOf(message)
  line.out.at = before
  line.response(presentResponse(message, values), status)
  return values[0]?.type
}

function writeSizes(message: Message, out: JsonBytes): void {
  writeNumber(BODY_SIZE, message.size, out)
  if (message.truncated) out.fragment(TRUNCATED)
}

function writeNumber(key: JsonFragment, value: number | undefined, out: JsonBytes): void {
  if (value === undefined) return
  out.fragment(key)
  out.number(value)
}

/** Digits that a number has, too. */
function isPlainInteger(bytes: Uint8Array, from: number, end: number): boolean {
  const start = bytes[from] === 0x2d ? from + 1 : from
  if (end <= start || end - start > SAFE_DIGITS || (bytes[start] === 0x30 && end - from > 1)) return false
  for (let i = start; i < end; i++) if (bytes[i] < 0x30 || bytes[i] > 0x39) return false
  return true
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
