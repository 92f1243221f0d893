import { Problem } from '@tapdeck/api'
import type { z } from 'zod'
import { refuseTooLarge } from './refuse-too-large.ts'

const MAX_BODY = 1024 * 1024
const MAX_DEPTH = 64
/** Of an address, or of the top level of a body. No operation takes a quarter of this. */
const MAX_PARAMETERS = 100
const MAX_ERRORS = 20
const MAX_DETAIL = 2000
/** A JSON body is small: it comes within this time. Captures may take long, but not stand still. */
const JSON_WITHIN_MS = 15_000
const IDLE_MS = 30_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

/** The parts of a request as one flat object: body, then query, then path; a later one wins. */
export function gather(
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const flat: Record<string, unknown> = { ...body }
  const seen = new Set<string>()
  for (const [name, value] of query) {
    if (seen.has(name))
      throw new Problem(
        400,
        'invalid_input',
        `The parameter ${name.slice(0, 80)} is given ${query.getAll(name).length} times`,
      )
    seen.add(name)
    flat[name] = value
  }
  return { ...flat, ...path }
}

/** The parameters of an address. Throws 400 where there are more than any operation takes, before they are parsed. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  if (start < 0) return new URLSearchParams()
  const end = url.indexOf('#', start)
  const text = url.slice(start + 1, end < 0 ? undefined : end)
  let count = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1))
    if (++count > MAX_PARAMETERS) throw tooManyParameters()
  return new URLSearchParams(text)
}

function tooManyParameters(): Problem {
  return new Problem(400, 'too_many_parameters', `Too many parameters (max ${MAX_PARAMETERS})`, {
    limit: MAX_PARAMETERS,
    hint: 'GET /openapi.json lists the parameters of each operation.',
  })
}

/** Checks input against an operation's schema; 400 with what is wrong where it does not fit. */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  refuseTooLarge(schema, input)
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => ({ path: path.join('.'), message: message.slice(0, MAX_DETAIL) }))
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  throw new Problem(400, 'invalid_input', detail.slice(0, MAX_DETAIL), { errors })
}

/** A JSON object out of a request's body; an empty body is an empty object. */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const text = await readText(request)
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(
      400,
      'broken_json',
      `The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(400, 'broken_json', 'The body must be a JSON object')
  if (Object.keys(value).length > MAX_PARAMETERS) throw tooManyParameters()
  return value as Record<string, unknown>
}

/** A body as text, within the bound. */
export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw tooLarge()
  if (request.body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  const reader = withBodyTimeout(request.body, JSON_WITHIN_MS).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.length
      if (size > MAX_BODY) throw tooLarge()
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    await reader.cancel().catch(() => {})
    throw error instanceof TypeError ? new Problem(400, 'broken_json', 'The body is not valid UTF-8') : error
  }
}

/** JSON that is nested no deeper than anything we take, so that no reader runs out of stack. Throws 400. */
export function parseJson(text: string): unknown {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === BRACE || char === BRACKET) {
      if (++depth > MAX_DEPTH)
        throw new Problem(400, 'broken_json', `The JSON body is nested too deeply (max ${MAX_DEPTH} levels)`)
    } else if (char === BRACE + 2 || char === BRACKET + 2) depth--
  }
  return JSON.parse(text)
}

/** Where the string ends that begins at `start`; the end of the text where it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === BACKSLASH) at++
    else if (char === QUOTE) return at
  }
  return text.length
}

/** The bytes of a request, given up on when none came for a while, or not all within a time. */
export function withBodyTimeout(
  body: ReadableStream<Uint8Array>,
  withinMs?: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const started = performance.now()
  return new ReadableStream({
    async pull(controller) {
      const left = withinMs === undefined ? IDLE_MS : withinMs - (performance.now() - started)
      const { done, value } = await inTime(reader.read().catch(brokenOff), Math.min(IDLE_MS, left))
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const problem = new Problem(408, 'too_slow', 'Timed out reading the request body')
    timer = setTimeout(() => reject(problem), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The client disconnected; that is not an error of the hub. */
function brokenOff(): never {
  throw new Problem(400, 'broken_off', 'The request body ended early')
}

function tooLarge(): Problem {
  return new Problem(413, 'body_too_large', `JSON body too large (max ${MAX_BODY} bytes)`)
}
