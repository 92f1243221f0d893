import { editDistance } from '@tapdeck/spelling'
import { type CheckContext, fail, kindOf, quote, short, source } from './check-context.ts'
import { FOREIGN_NAMES } from './foreign-names.ts'
import type { Span } from './span.ts'
import type { SyntaxNode } from './syntax-node.ts'
import type { ValueNode } from './typed-node.ts'
import { UNAVAILABLE } from './unavailable.ts'

/** One step of `a.b["c"][0]`. */
interface Step extends Span {
  /** Set where the step could be a segment of a name. */
  readonly name?: string
  readonly key: SyntaxNode
}

/** The value that a name, its members and its indexes lead to. The longest known name wins. */
export function resolve(context: CheckContext, node: SyntaxNode): ValueNode {
  const { root, steps } = unfold(node)
  if (root.kind !== 'name') return follow(context, context.value(root), steps, node)
  const slot = context.variables.get(root.name)
  if (slot !== undefined) {
    const variable: ValueNode = { kind: 'variable', type: 'json', slot, start: root.start, end: root.end }
    return follow(context, variable, steps, node)
  }
  let name = root.name
  const names = [name]
  for (const step of steps) {
    if (step.name === undefined) break
    name += `.${step.name}`
    names.push(name)
  }
  for (let taken = names.length - 1; taken >= 0; taken--) {
    const field = context.catalog.find(names[taken])
    if (!field) continue
    const end = taken === 0 ? root.end : steps[taken - 1].end
    const value: ValueNode = { kind: 'field', type: field.type, field, start: root.start, end }
    const next = steps[taken]
    if (next && !isOpen(value)) {
      if (next.name !== undefined) break
      throw notOpen(context, value, next, node)
    }
    return follow(context, value, steps.slice(taken), node)
  }
  const spans = names.map((_, taken) => ({
    start: root.start,
    end: taken === 0 ? root.end : steps[taken - 1].end,
  }))
  throw unknown(context, names, spans)
}

function unfold(node: SyntaxNode): { readonly root: SyntaxNode; readonly steps: readonly Step[] } {
  const steps: Step[] = []
  let at = node
  while (at.kind === 'member' || at.kind === 'index') {
    if (at.kind === 'member') {
      const span = { start: at.nameStart, end: at.end }
      steps.push({
        name: at.name,
        key: { kind: 'string', value: at.name, depth: 1, ...span },
        start: at.nameStart,
        end: at.end,
      })
    } else {
      const key = at.key
      const name = key.kind === 'string' ? { name: key.value } : {}
      steps.push({ ...name, key, start: key.start, end: at.end })
    }
    at = at.of
  }
  return { root: at, steps: steps.reverse() }
}

const OPEN: ReadonlySet<ValueNode['type']> = new Set(['map', 'json', 'list'])

function isOpen(value: ValueNode): boolean {
  return OPEN.has(value.type)
}

function follow(context: CheckContext, from: ValueNode, steps: readonly Step[], whole: Span): ValueNode {
  let value = from
  for (const step of steps) {
    if (!isOpen(value)) throw notOpen(context, value, step, whole)
    const key = context.value(step.key)
    // Entries of a map are text (or several): a dotted key has to be quoted.
    if (value.kind === 'member' && value.of.type === 'map' && key.type === 'string') {
      throw dottedKey(context, value.of, steps, whole)
    }
    if (value.type === 'list' && key.type !== 'integer' && key.type !== 'number') {
      throw fail(
        step.key,
        `${quote(context, value)} is a list; take an element by number, or use .exists(x, …).`,
        {
          expected: ['number'],
        },
      )
    }
    if (value.type === 'map' && key.type !== 'string') {
      throw fail(step.key, `${quote(context, value)} is a map; its keys are text, as in ["name"].`, {
        expected: ['text'],
      })
    }
    const ignoreCase = value.kind === 'field' && value.field.ignoreCase === true
    value = { kind: 'member', type: 'json', of: value, key, ignoreCase, start: whole.start, end: step.end }
  }
  return value
}

function notOpen(context: CheckContext, value: ValueNode, step: Step, whole: Span) {
  const place = { start: whole.start, end: step.end }
  return fail(place, `${quote(context, value)} is ${kindOf(value)} and has nothing inside.`)
}

function dottedKey(context: CheckContext, map: ValueNode, steps: readonly Step[], whole: Span) {
  const dotted = steps.map((step) => step.name ?? '').join('.')
  const suggestion = `${source(context, map)}[${JSON.stringify(dotted)}]`
  const message = `An entry of ${quote(context, map)} is text and has no members; write ${short(suggestion)}.`
  return fail(whole, message, { suggestion })
}

/** `names` are the name and what it begins with, shortest first; `spans` where each of them stands. */
function unknown(context: CheckContext, names: readonly string[], spans: readonly Span[]) {
  const name = names[names.length - 1]
  const span = spans[spans.length - 1]
  const gone = names.find((one) => Object.hasOwn(UNAVAILABLE, one))
  if (gone !== undefined) {
    const { why, instead } = UNAVAILABLE[gone]
    const hint = instead === undefined ? '' : ` Nearest is ${instead}.`
    const place = instead === undefined ? {} : { suggestion: instead }
    return fail(span, `"${gone}" is a known name, but no call here has it: ${why}.${hint}`, place)
  }
  for (let taken = names.length - 1; taken >= 0; taken--) {
    const meant = meantBy(context, names[taken], taken < names.length - 1)
    if (meant.length === 0) continue
    const hints = meant.length === 1 ? { suggestion: meant[0] } : {}
    const written = `"${short(names[taken])}"`
    const wrong = context.catalog.find(names[taken]) ? `${written} is text` : `Unknown field ${written}`
    const message = `${wrong}; did you mean ${meant.join(' or ')}?`
    return fail(spans[taken], message, { expected: meant, ...hints })
  }
  const known = names.filter((one) => context.catalog.find(one))
  const inside = context.catalog.fields.find((field) => field.name.startsWith(`${name}.`))
  const suggestion = context.catalog.nearest(name) ?? known[known.length - 1] ?? inside?.name
  const hint = suggestion ? `; did you mean ${suggestion}?` : '.'
  return fail(span, `Unknown field "${short(name)}"${hint}`, suggestion ? { suggestion } : {})
}

/** What else a name may have meant, in full: as others call it, or, where more follows, what it may follow. */
function meantBy({ catalog }: CheckContext, name: string, goesOn: boolean): readonly string[] {
  const fields = (FOREIGN_NAMES.get(name.toLowerCase()) ?? []).filter((one) => {
    const field = catalog.find(one.replace(/\[.*/, ''))
    return field && (!goesOn || (OPEN.has(field.type) && !one.includes('[')))
  })
  if (fields.length > 0 || !goesOn || catalog.find(name)) return fields
  const near = catalog.fields.find((field) => OPEN.has(field.type) && isNear(name, field.name))
  return near ? [near.name] : []
}

function isNear(name: string, other: string): boolean {
  return (
    Math.abs(name.length - other.length) <= 2 &&
    name.length > 4 &&
    editDistance(name.toLowerCase(), other) <= 2
  )
}
