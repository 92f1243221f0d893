import { Problem } from '@tapdeck/api'
import type { z } from 'zod'

const MAX_BODY = 1024 * 1024

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
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem(400, 'broken_json', `the body is no JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(400, 'broken_json', 'the body must be a JSON object')
  return value as Record<string, unknown>
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw tooLarge()
  if (request.body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  const reader = request.body.getReader()
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

function tooLarge(): Problem {
  return new Problem(413, 'body_too_large', `a JSON body may have at most ${MAX_BODY} bytes`)
}
