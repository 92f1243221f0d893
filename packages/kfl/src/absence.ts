import type { CatalogField } from './field.ts'
import type { Comparison, TestNode, ValueNode } from './typed-node.ts'

/*
 * What is absent, and what filters say of it. This is the only place that knows.
 *
 * 1. Absent compares with nothing: `==`, `<`, `contains`, `in`, `matches` … are false.
 * 2. Text has one exception: absent text is as good as empty. `x == ""` holds where x is absent, `x != ""` does not.
 * 3. `!=` (and `not in`, `not contains` …) on text holds where the text is absent, so that `dst.ns != "shop"` keeps
 *    peers without a namespace; but only in calls that could have the field: of its protocols, or with headers at all.
 *    Two texts that are both absent do not differ: `src.ns != dst.ns` leaves them out.
 * 4. `!=` on a number, time, duration, status or boolean needs a value: an absent number is not "another number".
 * 5. `not (…)` and `!(…)` are plain negation of all the above.
 */

const PROTO: CatalogField = {
  name: 'proto',
  type: 'string',
  path: 'proto',
  ignoreCase: true,
  doc: '',
  example: '',
}

const DECRYPTED: CatalogField = {
  name: 'decrypted',
  type: 'boolean',
  path: 'decrypted',
  doc: '',
  example: '',
}

/** What must hold besides `not equal` for `left != right`. */
export function differencesNeed(left: ValueNode, right: ValueNode, as: Comparison): readonly TestNode[] {
  const needs = [differenceNeeds(left, as), differenceNeeds(right, as)]
  if (as === 'text' && !isTotal(left) && !isTotal(right)) {
    const parts = [left, right].map((of): TestNode => ({ kind: 'present', of, start: of.start, end: of.end }))
    needs.push({ kind: 'or', parts, start: left.start, end: left.end })
  }
  return needs.filter((need) => need !== undefined)
}

/** The same for one side; undefined where nothing must hold. */
export function differenceNeeds(node: ValueNode, as: Comparison): TestNode | undefined {
  if (isTotal(node)) return undefined
  return as === 'text' ? scope(node) : { kind: 'present', of: node, start: node.start, end: node.end }
}

/** True in calls that could have the text: rule 3. */
function scope(node: ValueNode): TestNode | undefined {
  const span = { start: node.start, end: node.end }
  if (node.kind === 'member') return scope(node.of)
  if (node.kind === 'field') {
    if (node.field.container) return { kind: 'present', of: node, ...span }
    if (!node.field.protocols) return undefined
    const proto: ValueNode = { kind: 'field', type: 'string', field: PROTO, ...span }
    const named: TestNode = { kind: 'one-of', as: 'text', of: proto, values: node.field.protocols, ...span }
    if (!node.field.path.startsWith('tls.')) return named
    // Calls that were decrypted have the fields of their TLS connection, too.
    const decrypted: ValueNode = { kind: 'field', type: 'boolean', field: DECRYPTED, ...span }
    return { kind: 'or', parts: [named, { kind: 'present', of: decrypted, ...span }], ...span }
  }
  return node.kind === 'variable' ? undefined : { kind: 'present', of: node, ...span }
}

/** Where `x == ""` holds besides x being empty: rule 2. */
export function absentText(node: ValueNode): TestNode {
  const span = { start: node.start, end: node.end }
  const absent: TestNode = { kind: 'not', of: { kind: 'present', of: node, ...span }, ...span }
  const within = isTotal(node) ? undefined : scope(node)
  return within ? { kind: 'and', parts: [within, absent], ...span } : absent
}

/** Never absent, whatever the call. */
export function isTotal(node: ValueNode): boolean {
  return node.kind === 'constant' || node.kind === 'test' || node.kind === 'list'
}
