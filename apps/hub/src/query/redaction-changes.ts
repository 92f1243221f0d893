import { createRedactor, noRules, type RedactionRules } from '@tapdeck/redact'
import { EventLoopTurn } from '../event-loop-turn.ts'

export interface RedactionChange {
  readonly field: string
  readonly rule: string
  readonly before: string
  /** Null: the field is left out. */
  readonly after: string | null
}

const MAX_CHANGES = 500
const MAX_TEXT = 400
/** Work of one pattern on one text: the rules come with the request and run on the thread of the hub. */
const MAX_STEPS = 500_000

/** What each rule alone changes in a call as it is shown. Throws `RuleError`. */
export async function redactionChanges(call: unknown, rules: RedactionRules) {
  const turn = new EventLoopTurn()
  const before = new Map<string, string>()
  for (const [field, text] of texts(call, '')) before.set(field, text)
  const changes: RedactionChange[] = []
  const single = singleRules(rules)
  // A wrong rule is reported whether or not the ones before it fill the answer.
  for (const { only } of single) {
    await turn.yieldIfLong()
    createRedactor(only)
  }
  for (const { name, only } of single) {
    await turn.yieldIfLong()
    const after = new Map(texts(createRedactor(only, MAX_STEPS)?.presented(call), ''))
    for (const [field, text] of before) {
      const now = after.get(field)
      if (now === text) continue
      if (changes.length === MAX_CHANGES) return { rules: single.length, changes, truncated: true }
      changes.push({ field, rule: name, before: short(text), after: now === undefined ? null : short(now) })
    }
  }
  return { rules: single.length, changes, truncated: false }
}

function singleRules(rules: RedactionRules): { readonly name: string; readonly only: RedactionRules }[] {
  const one = (name: string, part: Partial<RedactionRules>) => ({ name, only: { ...noRules, ...part } })
  return [
    ...rules.headers.map((name) => one(`headers: ${name}`, { headers: [name] })),
    ...rules.query.map((name) => one(`query: ${name}`, { query: [name] })),
    ...rules.json.map((path) => one(`json: ${path}`, { json: [path] })),
    ...(rules.sqlLiterals ? [one('sqlLiterals', { sqlLiterals: true })] : []),
    ...rules.detect.map((kind) => one(`detect: ${kind}`, { detect: [kind] })),
    ...rules.patterns.map((pattern) => one(`patterns: ${pattern}`, { patterns: [pattern] })),
    ...(rules.bodies ? [one('bodies', { bodies: true })] : []),
  ]
}

/** Every value of a tree with its path, as text. */
function* texts(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined) yield [path, String(value)]
    return
  }
  const isList = Array.isArray(value)
  for (const [name, inner] of Object.entries(value))
    yield* texts(inner, isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`)
}

function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
