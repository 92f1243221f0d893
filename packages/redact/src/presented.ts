import type { RedactionRules } from './redaction-rules.ts'

const HEADER_MAPS = new Set(['headers', 'req_headers', 'resp_headers', 'trailers'])
const COOKIES = new Set(['cookies'])
/** Where protocols show what was sent: as text, or taken apart. */
const BODIES = new Set(
  'body req_body resp_body parameters rows columns args variables entries references'.split(' '),
)
const QUERIES = new Set(['query'])
/** Where the statements of SQL stand, and what servers say of them. Ids, addresses and names of peers are none. */
const STATEMENTS = new Set(['path', 'statement', 'error', 'message', 'detail', 'hint', 'where'])

/** What a redactor does with texts and bodies. */
interface TextRedactor {
  readonly rules: RedactionRules
  text(text: string, protocol?: string): string
  body(text: string): string
  bytes(body: Uint8Array): Uint8Array
}

interface Showing {
  readonly redactor: TextRedactor
  readonly protocol: string | undefined
  /** What becomes of the bodies: a protocol may show them again under names of its own. */
  readonly bodies: ReadonlyMap<string, string | undefined>
}

/** A call as shown to a caller without access to values. The structure stays; texts are masked. */
export function redactPresented(call: unknown, redactor: TextRedactor): unknown {
  const known = isRecord(call) ? call : {}
  const protocol = typeof known.proto === 'string' ? known.proto : undefined
  const bodies = new Map([known.request, known.response].flatMap((message) => bodyOf(message, redactor)))
  const redacted = shown(call, '', { redactor, protocol, bodies })
  // Its flow has a number of sixteen digits, which is a card's as often as any other.
  return isRecord(redacted) && typeof known.id === 'string' ? { ...redacted, id: known.id } : redacted
}

function bodyOf(message: unknown, redactor: TextRedactor): [string, string | undefined][] {
  if (!isRecord(message) || typeof message.body !== 'string' || message.body === '') return []
  if (redactor.rules.bodies) return [[message.body, undefined]]
  if (message.body_encoding !== 'base64') return [[message.body, redactor.body(message.body)]]
  const bytes = redactor.bytes(Buffer.from(message.body, 'base64'))
  return [[message.body, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')]]
}

function shown(value: unknown, name: string, showing: Showing): unknown {
  const { redactor, protocol, bodies } = showing
  const { rules } = redactor
  if (BODIES.has(name) && (rules.bodies || (name === 'parameters' && rules.sqlLiterals))) return undefined
  if (typeof value === 'string') {
    if (bodies.has(value)) return bodies.get(value)
    // A value that is JSON itself: of a key, of a record, of a variable.
    if (BODIES.has(name) || /^\s*[[{]/.test(value)) return redactor.body(value)
    return redactor.text(value, STATEMENTS.has(name) ? protocol : undefined)
  }
  if (Array.isArray(value)) return value.map((one) => shown(one, '', showing))
  if (!isRecord(value)) return value
  // The query of GraphQL is its body; that of an address has entries.
  const isQuery = name === 'graphql' && rules.bodies
  const hides = hiddenNames(name, redactor)
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, hides(key) ? starred(one) : shown(one, key, showing)] as const)
      .filter(([key, one]) => one !== undefined && !(isQuery && key === 'query')),
  )
}

/** Which entries of an object of this name are hidden by their key. */
function hiddenNames(name: string, { rules }: TextRedactor): (key: string) => boolean {
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
