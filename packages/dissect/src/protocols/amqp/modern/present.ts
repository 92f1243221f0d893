import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../../contract/call.ts'
import type { FieldValue, Message } from '../../../contract/message.ts'
import { AmqpCursor } from '../amqp-cursor.ts'
import { type Performative, readPerformative } from './performative.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }
type Fields = { readonly [name: string]: FieldValue }

/** Part 3 §3.4: what became of a delivery. */
const OUTCOMES: Readonly<Record<number, string | undefined>> = {
  35: 'received',
  36: 'accepted',
  37: 'rejected',
  38: 'released',
  39: 'modified',
}
const SASL_CODES: readonly string[] = ['ok', 'auth', 'sys', 'sys-perm', 'sys-temp']

/** Where only the answer was seen, what it must have answered. */
const ASKED: Readonly<Record<string, string | undefined>> = {
  disposition: 'transfer',
  'sasl-outcome': 'sasl-init',
  'sasl-response': 'sasl-challenge',
}

export function readHead(head: Uint8Array | undefined): Performative | undefined {
  if (head === undefined || head.length < 8) return undefined
  try {
    return readPerformative(new AmqpCursor(head, Math.min(head[4] * 4, head.length)))
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

export function summarizeModern(request: Message | undefined, response: Message | undefined): Summary {
  const summary: Draft = {}
  const asked = readHead(request?.head)
  const answered = readHead(response?.head)
  const method = asked?.name ?? (answered === undefined ? undefined : (ASKED[answered.name] ?? answered.name))
  if (method !== undefined) summary.method = method
  const path = request?.fields?.address ?? response?.fields?.address ?? asked?.fields.hostname
  if (typeof path === 'string' && path !== '') summary.path = path
  if (answered !== undefined) summary.status = 'ok'
  // The answer's word counts for more than the question's.
  if (asked !== undefined) judge(asked, summary)
  if (answered !== undefined) judge(answered, summary)
  return summary
}

function judge({ name, fields }: Performative, into: Draft): void {
  if (name === 'sasl-outcome') {
    const code = typeof fields.code === 'number' ? fields.code : 0
    into.status = SASL_CODES[code] ?? code
    if (code !== 0) into.failure = `authentication failed: ${into.status}`
    return
  }
  const outcome = outcomeOf(fields.state)
  if (outcome !== undefined && name === 'disposition') into.status = outcome === 'accepted' ? 'ok' : outcome
  const error = errorOf(fields.error) ?? (outcome === 'rejected' ? rejection(fields.state) : undefined)
  if (outcome === 'rejected') into.failure = 'rejected'
  if (error === undefined) return
  into.status = error.condition
  into.failure = error.description?.split('\n', 1)[0] ?? error.condition
}

function outcomeOf(state: FieldValue | undefined): string | undefined {
  const { descriptor } = described(state)
  return typeof descriptor === 'number' ? OUTCOMES[descriptor] : undefined
}

/** Part 2 §2.8.14: a condition and, for people, a description. */
function errorOf(
  error: FieldValue | undefined,
): { readonly condition: string; readonly description?: string } | undefined {
  const { value } = described(error)
  const [condition, description]: readonly FieldValue[] = Array.isArray(value) ? value : []
  if (typeof condition !== 'string') return undefined
  return { condition, ...(typeof description === 'string' ? { description } : {}) }
}

function rejection(state: FieldValue | undefined): ReturnType<typeof errorOf> {
  const { value } = described(state)
  return Array.isArray(value) ? errorOf(value[0]) : undefined
}

function described(value: FieldValue | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'descriptor' in value
    ? (value as Fields)
    : {}
}

/** The fields as people read them: outcomes, roles and errors by name, secrets hidden. */
export function showPerformative({ name, fields }: Performative): Fields {
  const shown: { [name: string]: FieldValue } = { ...fields }
  if (typeof fields.role === 'boolean') shown.role = fields.role ? 'receiver' : 'sender'
  const outcome = outcomeOf(fields.state)
  if (outcome !== undefined) shown.state = outcome
  const error = errorOf(fields.error)
  if (error !== undefined) shown.error = error
  for (const terminus of ['source', 'target']) {
    const { value } = described(fields[terminus])
    if (Array.isArray(value)) shown[terminus] = value[0] ?? null
  }
  if (name === 'sasl-init' && 'initial_response' in shown) shown.initial_response = '(hidden)'
  if (name === 'sasl-response') shown.response = '(hidden)'
  if (name === 'sasl-outcome' && typeof fields.code === 'number')
    shown.code = SASL_CODES[fields.code] ?? fields.code
  return shown
}
