import { Problem } from '@tapdeck/api'
import type { z } from 'zod'

const MAX_BODY = 1024 * 1024
const MAX_DEPTH = 64
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
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name)
    if (values.length > 1)
      throw new Problem(
        400,
        'invalid_input',
        `the parameter ${name.slice(0, 80)} is given ${values.length} times`,
      )
    flat[name] = values[0]
  }
  return { ...flat, ...path }
}

/** Checks input against an operation's schema; 400 with what is wrong where it does not fit. */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  throw new Problem(400, 'invalid_input', detail.slice(0, 2000), { errors: errors.slice(0, 20) })
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
    throw new Problem(400, 'broken_json', `the body is no JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(400, 'broken_json', 'the body must be a JSON object')
  return value as Record<string, unknown>
}

/** A body as text, within the bound. */
export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw tooLarge()
  if (request.body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  const reader = steadyBody(request.body, JSON_WITHIN_MS).getReader()
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
    throw error instanceof TypeError ? new Problem(400, 'broken_json', 'the body is not UTF-8') : error
  }
}

/** JSON that is nested no deeper than anything we take, so that nobody runs out of stack over it. */
function parseJson(text: string): unknown {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === BRACE || char === BRACKET) {
      if (++depth > MAX_DEPTH)
        throw new Problem(400, 'broken_json', `the body is nested deeper than ${MAX_DEPTH}`)
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
export function steadyBody(body: ReadableStream<Uint8Array>, withinMs?: number): ReadableStream<Uint8Array> {
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
    const problem = new Problem(408, 'too_slow', 'the body comes too slowly')
    timer = setTimeout(() => reject(problem), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Whoever sent it went away; that is no fault of ours. */
function brokenOff(): never {
  throw new Problem(400, 'broken_off', 'the body broke off before its end')
}

function tooLarge(): Problem {
  return new Problem(413, 'body_too_large', `a JSON body may have at most ${MAX_BODY} bytes`)
}
