import type { Redactor } from './redactor.ts'

const HEADER_MAPS = new Set(['headers', 'req_headers', 'resp_headers', 'trailers'])
const COOKIES = new Set(['cookies'])
const BODIES = new Set(['body', 'req_body', 'resp_body', 'parameters', 'rows', 'columns'])
const QUERIES = new Set(['query'])

/** A call as it is shown, for somebody who may see it only so. Shapes stay; texts are starred out. */
export function redactPresented(call: unknown, redactor: Redactor): unknown {
  const protocol = isRecord(call) && typeof call.proto === 'string' ? call.proto : undefined
  return shown(call, '', redactor, protocol)
}

function shown(value: unknown, name: string, redactor: Redactor, protocol: string | undefined): unknown {
  const { rules } = redactor
  if (BODIES.has(name) && (rules.bodies || (name === 'parameters' && rules.sqlLiterals))) return undefined
  if (typeof value === 'string')
    return name === 'body' || name.endsWith('_body') ? redactor.body(value) : redactor.text(value, protocol)
  if (Array.isArray(value)) return value.map((one) => shown(one, '', redactor, protocol))
  if (!isRecord(value)) return value
  const hides = hiddenNames(name, redactor)
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, hides(key) ? starred(one) : shown(one, key, redactor, protocol)] as const)
      .filter(([, one]) => one !== undefined),
  )
}

/** Which entries of an object of this name are hidden by their key. */
function hiddenNames(name: string, { rules }: Redactor): (key: string) => boolean {
  const among = (names: readonly string[]) => (key: string) =>
    names.some((one) => one.toLowerCase() === key.toLowerCase())
  if (HEADER_MAPS.has(name)) return among(rules.headers)
  if (QUERIES.has(name)) return among(rules.query)
  if (COOKIES.has(name) && rules.headers.some((one) => /^(set-)?cookie$/i.test(one))) return () => true
  return () => false
}

function starred(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(starred)
  return '*'.repeat(Math.min(String(value).length, 64))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
