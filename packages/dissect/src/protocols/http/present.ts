import { type Headers, readFields, readHead, toHeaders } from '../../content/headers.ts'
import { maskedHead } from '../../content/masked-head.ts'
import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { PlacedSummary } from '../../message/placed-summary.ts'
import { word } from '../../text/text.ts'
import { readEventStream } from './event-stream.ts'
import { markedMethodEnd, markedPathEnd, methodOf, pathOf, statusAt, statusLineOf } from './start-line.ts'

type HalfDraft = Record<string, unknown>

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  if (request instanceof PlacedMessage && request.marks) return summarizePlaced(request, response)
  const summary: Draft = { method: undefined, path: undefined, status: undefined, failure: undefined }
  if (request?.head !== undefined) {
    const { head, marks } = request
    if (marks) {
      const end = markedMethodEnd(marks)
      summary.method = word(head, 0, end)
      summary.path = word(head, end + 1, markedPathEnd(marks))
    } else {
      summary.method = methodOf(head)
      summary.path = pathOf(head)
    }
  }
  summarizeResponse(response, summary)
  return summary
}

/** The same for a request whose line was marked when it was read, and is still at the same place. */
function summarizePlaced(request: PlacedMessage, response: Message | undefined): Summary {
  const { headIn, headAt, marks, note } = request
  const summary = new PlacedSummary()
  if (headIn !== undefined && marks !== undefined) {
    const end = headAt + markedMethodEnd(marks)
    summary.method = typeof note === 'string' ? note : word(headIn, headAt, end)
    summary.placeLatin1(headIn, end + 1, headAt + markedPathEnd(marks))
  }
  summarizeResponse(response, summary)
  return summary
}

function summarizeResponse(response: Message | undefined, summary: Draft): void {
  if (response === undefined) return
  let status: number | undefined
  if (response instanceof PlacedMessage) {
    const { headIn, headAt } = response
    if (headIn !== undefined) status = statusAt(headIn, headAt)
  } else if (response.head !== undefined) status = statusAt(response.head, 0)
  summary.status = status
  if (status !== undefined && status >= 400 && response.head !== undefined)
    summary.failure = statusLineOf(response.head)
  const reset = response.fields?.reset
  if (typeof reset === 'string') summary.failure = `stream reset: ${reset}`
}

export function present({ request, response }: Exchange): Presentation {
  return {
    ...(request === undefined ? {} : { request: presentRequest(request) }),
    ...(response === undefined ? {} : { response: presentResponse(response) }),
  }
}

function presentRequest(message: Message): PresentedMessage {
  if (message.head === undefined) return presentRest({}, message, undefined)
  const head = readHead(message.head)
  const { target, version } = targetOf(head.line)
  const headers = toHeaders(head.fields)
  const path = pathOf(message.head)
  const mark = path === undefined ? -1 : target.indexOf('?')
  const shown: HalfDraft = {}
  put(shown, 'method', methodOf(message.head))
  if (path !== undefined) {
    shown.url = urlOf(target, headers)
    shown.path = path
  }
  if (mark >= 0) shown.query = readQuery(target.slice(mark + 1))
  shown.http_version = versionOf(version)
  put(shown, 'cookies', readCookies(headers.cookie))
  return presentRest(shown, message, headers)
}

/** The version is the last word of the line; a malformed target has blanks of its own. */
function targetOf(line: string): { readonly target: string; readonly version: string } {
  const start = line.indexOf(' ') + 1
  const end = line.lastIndexOf(' HTTP/')
  if (end >= start) return { target: line.slice(start, end), version: line.slice(end + 1).trim() }
  const [, target = '', version = ''] = line.split(' ')
  return { target, version }
}

function presentResponse(message: Message): PresentedMessage {
  if (message.head === undefined) return presentRest({}, message, undefined)
  const head = readHead(message.head)
  const [version = '', , ...reason] = head.line.split(' ')
  const headers = toHeaders(head.fields)
  const shown: HalfDraft = {}
  put(shown, 'status', statusAt(message.head, 0))
  put(shown, 'reason', reason.join(' ').trim() || undefined)
  shown.http_version = versionOf(version)
  put(shown, 'informational', message.fields?.informational)
  put(shown, 'cookies', readSetCookies(headers['set-cookie']))
  return presentRest(shown, message, headers)
}

/** Adds what both halves have: headers, sizes, body, and what was odd about them. */
function presentRest(shown: HalfDraft, message: Message, headers: Headers | undefined): PresentedMessage {
  const { head, body, fields, truncated } = message
  const encoding = headers?.['content-encoding']
  const trailers = fields?.trailers
  put(shown, 'headers', headers)
  const masked = maskedHead(message)
  put(shown, 'headers_size', masked?.head_size ?? head?.length)
  put(shown, 'credential', masked?.credential)
  Object.assign(
    shown,
    presentBody(body, typeof encoding === 'string' ? encoding : undefined, truncated === true),
  )
  if (isEventStream(headers) && shown.body_encoding === undefined)
    Object.assign(shown, readEventStream(typeof shown.body === 'string' ? shown.body : ''))
  if (fields?.head_cut !== true) shown.body_size = message.bodySize ?? body?.length ?? 0
  put(shown, 'truncated', truncated)
  put(shown, 'ambiguous', fields?.ambiguous)
  put(shown, 'malformed', fields?.malformed)
  if (message.key !== undefined) Object.assign(shown, presentStream(message))
  if (typeof trailers === 'string') shown.trailers = toHeaders(readFields(trailers.split(/\r?\n/)))
  return shown
}

function put(shown: HalfDraft, key: string, value: unknown): void {
  if (value !== undefined) shown[key] = value
}

function versionOf(text: string): string {
  return text.startsWith('HTTP/') ? text.slice(5) : text
}

/** What a half has from HTTP/2: the number of its stream, how that was cut off, and what is not known of it. */
function presentStream({ key, fields }: Message): Record<string, unknown> {
  if (key === undefined) return {}
  return {
    stream_id: key,
    ...optional('pushed', fields?.pushed),
    ...optional('reset', fields?.reset),
    ...optional('reset_by', fields?.reset_by),
    ...optional('unknown_headers', fields?.unknown_headers),
  }
}

function isEventStream(headers: Headers | undefined): boolean {
  const type = headers?.['content-type']
  return typeof type === 'string' && type.toLowerCase().startsWith('text/event-stream')
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}

/** The target as a whole address where the request names its host. */
function urlOf(target: string, headers: Headers): string {
  const host = headers.host ?? headers[':authority']
  return target.startsWith('/') && typeof host === 'string' ? `http://${host}${target}` : target
}

export function readQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const part of text.split('#', 1)[0].split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decode(part.slice(equals + 1))
    const before = query[name]
    query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return query
}

/** application/x-www-form-urlencoded; what is not properly escaped stays as it was sent. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

export function readCookies(header: Headers[string] | undefined): Record<string, string> | undefined {
  return typeof header === 'string' ? toCookies(header.split(';')) : undefined
}

export function readSetCookies(header: Headers[string] | undefined): Record<string, string> | undefined {
  return Array.isArray(header) ? toCookies(header.map((cookie) => cookie.split(';', 1)[0])) : undefined
}

function toCookies(pairs: readonly string[]): Record<string, string> | undefined {
  const cookies: Record<string, string> = Object.create(null)
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals > 0) cookies[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim()
  }
  return Object.keys(cookies).length > 0 ? cookies : undefined
}
