import { hasOwnFields, maskedHead } from '../../content/masked-head.ts'
import { PlainHead } from '../../content/plain-head.ts'
import { presentBody } from '../../content/present-body.ts'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { LINE } from '../../contract/line-marks.ts'
import type { LineWriter } from '../../contract/line-writer.ts'
import type { Message } from '../../contract/message.ts'
import type { JsonBytes } from '../../json/json-bytes.ts'
import { jsonFragment } from '../../json/json-fragment.ts'
import { latin1 } from '../../text/text.ts'
import { readCookies, readQuery, readSetCookies } from './present.ts'

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const SLASH = 0x2f
const OPEN = 0x7b
const CLOSE = 0x7d
const METHOD = jsonFragment(',"request":{"method":"')
const PATH = jsonFragment('","path":"')
const URL_KEY = jsonFragment('","url":"')
const SCHEME = jsonFragment('http://')
const QUERY = jsonFragment('","query":')
const ENDED = jsonFragment('"')
const VERSION = jsonFragment(',"http_version":"')
const COOKIES = jsonFragment('","cookies":')
const HEADERS = jsonFragment(',"headers":')
const HEADERS_AFTER_TEXT = jsonFragment('","headers":')
const IS = jsonFragment('":"')
const IS_LIST = jsonFragment('":["')
const SIZE = jsonFragment(',"headers_size":')
const CREDENTIAL = jsonFragment(',"credential":')
const BODY = jsonFragment(',"body":')
const ENCODING = jsonFragment(',"body_encoding":"base64"')
const NOT_DECODED = jsonFragment(',"body_decoded":false')
const BODY_SIZE = jsonFragment(',"body_size":')
const TRUNCATED = jsonFragment(',"truncated":')
const STREAM = jsonFragment(',"stream_id":')
const STATUS = jsonFragment(',"response":{"status":')
const REASON = jsonFragment(',"reason":"')
const PROTOCOL = Buffer.from('HTTP/')
const MAX_PARAMETERS = 32

const head = new PlainHead()
const parameters = new Int32Array(MAX_PARAMETERS)

/** What `present` shows, out of the bytes of heads and bodies. */
export function write({ request, response }: Exchange, _summary: Summary, line: LineWriter): boolean {
  return (
    (request === undefined || writeRequest(request, line)) &&
    (response === undefined || writeResponse(response, line))
  )
}

function writeRequest(message: Message, line: LineWriter): boolean {
  const raw = message.head
  if (raw === undefined || hasOwnFields(message) || !head.read(raw)) return false
  const { staged } = head
  const { bytes } = staged
  const { out } = line
  const { lineEnd } = head
  const methodEnd = until(bytes, 0, lineEnd)
  const target = methodEnd + 1
  const targetEnd = until(bytes, target, lineEnd)
  const versionEnd = until(bytes, targetEnd + 1, lineEnd)
  // Unknown to HTTP/2, in absolute form, with blanks in its target, or nothing at all.
  if (
    target >= lineEnd ||
    versionEnd < lineEnd ||
    bytes[target] !== SLASH ||
    methodEnd === 0 ||
    (methodEnd === 1 && bytes[0] === 0x3f)
  )
    return false
  let pathEnd = target
  for (; pathEnd < targetEnd && bytes[pathEnd] !== 0x3f; pathEnd++) if (bytes[pathEnd] === 0x23) return false
  out.fragment(METHOD)
  out.staged(staged, 0, methodEnd)
  out.fragment(PATH)
  out.staged(staged, target, pathEnd)
  out.fragment(URL_KEY)
  const host = head.find('host') >= 0 ? head.find('host') : head.find(':authority')
  if (host >= 0) {
    out.fragment(SCHEME)
    out.staged(staged, head.places[host + 2], head.places[host + 3])
  }
  out.staged(staged, target, targetEnd)
  if (pathEnd < targetEnd) {
    out.fragment(QUERY)
    if (!writeQuery(bytes, pathEnd + 1, targetEnd, out))
      out.value(readQuery(latin1(bytes, pathEnd + 1, targetEnd)))
  } else out.fragment(ENDED)
  out.fragment(VERSION)
  writeVersion(bytes, targetEnd + 1, versionEnd, out)
  const cookie = head.find('cookie')
  const cookies =
    cookie < 0 ? undefined : readCookies(latin1(bytes, head.places[cookie + 2], head.places[cookie + 3]))
  return writeRest(message, raw.length, cookies, LINE.reqHeaders, LINE.reqBody, line)
}

function writeResponse(message: Message, line: LineWriter): boolean {
  const raw = message.head
  if (raw === undefined || hasOwnFields(message) || !head.read(raw)) return false
  const { staged } = head
  const { bytes } = staged
  const { out } = line
  const { lineEnd } = head
  const versionEnd = until(bytes, 0, lineEnd)
  const code = versionEnd + 1
  const codeEnd = until(bytes, code, lineEnd)
  if (codeEnd - code !== 3 || !isDigit(bytes[code])) return false
  const status = (bytes[code] - 0x30) * 100 + (bytes[code + 1] - 0x30) * 10 + bytes[code + 2] - 0x30
  out.fragment(STATUS)
  out.number(status)
  let reason = codeEnd + 1
  let reasonEnd = lineEnd
  while (reason < reasonEnd && bytes[reason] === SPACE) reason++
  while (reasonEnd > reason && bytes[reasonEnd - 1] === SPACE) reasonEnd--
  if (reasonEnd > reason) {
    out.fragment(REASON)
    out.staged(staged, reason, reasonEnd)
    out.byte(QUOTE)
  }
  out.fragment(VERSION)
  writeVersion(bytes, 0, versionEnd, out)
  const set = head.find('set-cookie')
  const cookies =
    set < 0 ? undefined : readSetCookies([latin1(bytes, head.places[set + 2], head.places[set + 3])])
  return writeRest(message, raw.length, cookies, LINE.respHeaders, LINE.respBody, line)
}

/** Adds what both halves have: headers, sizes and body. */
function writeRest(
  message: Message,
  size: number,
  cookies: object | undefined,
  headersMark: number,
  bodyMark: number,
  line: LineWriter,
): boolean {
  const { out } = line
  const { body, truncated, key } = message
  if (cookies === undefined) out.fragment(HEADERS_AFTER_TEXT)
  else {
    out.fragment(COOKIES)
    out.object(cookies)
    out.fragment(HEADERS)
  }
  const headers = out.at
  writeHeaders(out)
  line.mark(headersMark, headers)
  const masked = maskedHead(message)
  out.fragment(SIZE)
  out.number(masked === undefined ? size : masked.head_size)
  if (masked?.credential !== undefined) {
    out.fragment(CREDENTIAL)
    out.value(masked.credential)
  }
  const { bytes } = head.staged
  if (isEventStream(bytes)) return false
  if (body !== undefined && body.length > 0) {
    out.fragment(BODY)
    const start = out.at
    const packed = head.find('content-encoding')
    if (packed < 0 && out.text(body)) line.mark(bodyMark, start)
    else {
      const encoding =
        packed < 0 ? undefined : latin1(bytes, head.places[packed + 2], head.places[packed + 3])
      const shown = presentBody(body, encoding, truncated === true)
      out.string(shown.body ?? '')
      line.mark(bodyMark, start)
      if (shown.body_encoding !== undefined) out.fragment(ENCODING)
      if (shown.body_decoded !== undefined) out.fragment(NOT_DECODED)
    }
  }
  out.fragment(BODY_SIZE)
  out.number(message.bodySize ?? body?.length ?? 0)
  if (truncated !== undefined) {
    out.fragment(TRUNCATED)
    out.value(truncated)
  }
  if (key !== undefined) {
    out.fragment(STREAM)
    out.value(key)
  }
  out.byte(CLOSE)
  return true
}

function writeHeaders(out: JsonBytes): void {
  const { count, places, staged } = head
  const set = head.find('set-cookie')
  const start = out.at
  for (let field = 0; field < count; field++) {
    if (head.write(field, out)) continue
    const place = field * 4
    out.byte(COMMA)
    out.byte(QUOTE)
    out.printable(staged.bytes, places[place], places[place + 1], true)
    out.fragment(place === set ? IS_LIST : IS)
    out.staged(staged, places[place + 2], places[place + 3])
    out.byte(QUOTE)
    if (place === set) out.byte(0x5d)
  }
  out.close(start)
}

/** False, and nothing is written, where something is escaped, comes twice, or would go to the front of an object. */
function writeQuery(bytes: Uint8Array, start: number, end: number, out: JsonBytes): boolean {
  const before = out.at
  let next = OPEN
  let count = 0
  for (let at = start; at < end; at++) {
    const name = at
    let hash = 0
    let equals = -1
    for (; at < end && bytes[at] !== 0x26; at++) {
      const byte = bytes[at]
      if (byte === 0x25 || byte === 0x2b || byte === 0x23) {
        out.at = before
        return false
      }
      if (equals < 0 && byte === 0x3d) equals = at
      else if (equals < 0) hash = Math.imul(hash + byte, 31)
    }
    if (at === name) continue
    if (count === MAX_PARAMETERS || isDigit(bytes[name]) || isAmong(hash, count)) {
      out.at = before
      return false
    }
    parameters[count++] = hash
    out.byte(next)
    next = COMMA
    out.byte(QUOTE)
    out.staged(head.staged, name, equals < 0 ? at : equals)
    out.fragment(IS)
    if (equals >= 0) out.staged(head.staged, equals + 1, at)
    out.byte(QUOTE)
  }
  if (next === OPEN) out.byte(OPEN)
  out.byte(CLOSE)
  return true
}

function isAmong(hash: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (parameters[i] === hash) return true
  return false
}

function isEventStream(bytes: Uint8Array): boolean {
  const type = head.find('content-type')
  if (type < 0) return false
  const start = head.places[type + 2]
  return (
    (bytes[start] | 0x20) === 0x74 &&
    latin1(bytes, start, head.places[type + 3])
      .toLowerCase()
      .startsWith('text/event-stream')
  )
}

function writeVersion(bytes: Uint8Array, start: number, end: number, out: JsonBytes): void {
  let named = start
  while (named < end && named - start < PROTOCOL.length && bytes[named] === PROTOCOL[named - start]) named++
  out.staged(head.staged, named - start === PROTOCOL.length ? named : start, end)
}

function until(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== SPACE) at++
  return at
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
