import { type CheckContext, fail, kindOf, quote, short, source } from './check-context.ts'
import { constant, parseTime, textOf } from './constant.ts'
import { nearest } from './nearest.ts'
import type { SyntaxNode } from './syntax-node.ts'
import type { TestNode, ValueNode } from './typed-node.ts'
import { parseDuration } from './unit.ts'

type CallSyntax = Extract<SyntaxNode, { kind: 'call' }>
type Called = { readonly test: TestNode } | { readonly value: ValueNode }

/** The functions and methods, as completion and the docs show them. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  has: 'has(field): the call has the field',
  size: 'size(x): length of a text, a list or a map',
  map_get: 'map_get(map, "key", default): an entry, or the default',
  any: 'any(list, it == …): some element fits',
  all: 'all(list, it == …): every element fits',
  now: 'now(): the time at which the filter was made',
  timestamp: 'timestamp("2026-01-31T12:00:00Z"): a time',
  duration: 'duration("5m"): a duration',
  int: 'int(x): x read as a whole number',
  double: 'double(x): x read as a number',
  string: 'string(x): x as text',
}

export const METHODS: Readonly<Record<string, string>> = {
  contains: 'contains("x"): has the text in it',
  startsWith: 'startsWith("x"): begins with the text',
  endsWith: 'endsWith("x"): ends with the text',
  matches: 'matches("x+"): the regular expression fits somewhere',
  size: 'size(): length of a text, a list or a map',
  exists: 'exists(x, x == …): some element fits; exists(): the field is there',
  all: 'all(x, x == …): every element fits',
  exists_one: 'exists_one(x, x == …): exactly one element fits',
  filter: 'filter(x, x == …): the elements that fit',
  map: 'map(x, …): what becomes of each element',
}

export function checkCall(context: CheckContext, node: CallSyntax): Called {
  return node.of ? method(context, node, node.of) : plain(context, node)
}

function method(context: CheckContext, node: CallSyntax, of: SyntaxNode): Called {
  const { args } = node
  switch (node.name) {
    case 'exists':
      if (args.length === 0) return { test: present(context, node, of) }
      return { test: quantifier(context, node, 'exists', of, args[0], args[1]) }
    case 'any':
      return { test: quantifier(context, node, 'exists', of, args[0], args[1]) }
    case 'all':
      return { test: quantifier(context, node, 'all', of, args[0], args[1]) }
    case 'exists_one':
    case 'existsOne':
      return { test: quantifier(context, node, 'one', of, args[0], args[1]) }
    case 'filter':
    case 'map':
      return { value: transform(context, node, node.name, of) }
    case 'size':
    case 'length':
      arity(node, 0, 'size()')
      return { value: size(context, node, of) }
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'matches':
      throw fail(name(node), `${node.name} takes one text, as in ${node.name}("x").`, { expected: ['text'] })
  }
  throw unknown(node, Object.keys(METHODS), 'method')
}

function plain(context: CheckContext, node: CallSyntax): Called {
  const { args } = node
  switch (node.name) {
    case 'has':
    case 'exists':
      arity(node, 1, `${node.name}(field)`)
      return { test: present(context, node, args[0]) }
    case 'size':
    case 'len':
      arity(node, 1, 'size(x)')
      return { value: size(context, node, args[0]) }
    case 'any':
    case 'all': {
      const [list, first, second] = args
      if (args.length !== 2 && args.length !== 3) {
        throw fail(
          name(node),
          `${node.name} wants a list and a condition, as in ${node.name}(dns_answers, it contains "10.").`,
        )
      }
      const variable: SyntaxNode = {
        kind: 'name',
        name: 'it',
        start: first.start,
        end: first.start,
        depth: 1,
      }
      const operator = node.name === 'any' ? 'exists' : 'all'
      return {
        test: second
          ? quantifier(context, node, operator, list, first, second)
          : quantifier(context, node, operator, list, variable, first),
      }
    }
    case 'map_get':
      return { value: mapGet(context, node) }
    case 'now':
      arity(node, 0, 'now()')
      if (context.now === undefined)
        throw fail(node, 'now() is not known here; write timestamp("…").', { expected: ['timestamp("…")'] })
      return { value: constant(context.now, 'timestamp', node) }
    case 'timestamp':
      return {
        value: constant(
          written(context, node, parseTime, 'a time such as "2026-01-31T12:00:00Z"'),
          'timestamp',
          node,
        ),
      }
    case 'duration':
      return {
        value: constant(
          written(context, node, parseDuration, 'a duration such as "250ms" or "1h30m"'),
          'duration',
          node,
        ),
      }
    case 'int':
    case 'double':
    case 'string':
      return { value: convert(context, node, node.name) }
  }
  const asOperator = ['contains', 'startsWith', 'endsWith', 'matches'].find(
    (known) => known.toLowerCase() === node.name.toLowerCase(),
  )
  if (asOperator && args.length === 2) {
    const suggestion = `${source(context, args[0])} ${asOperator.toLowerCase()} ${source(context, args[1])}`
    throw fail(node, `${node.name} is written between its two operands; write ${short(suggestion)}.`, {
      suggestion,
    })
  }
  throw unknown(node, Object.keys(FUNCTIONS), 'function')
}

function present(context: CheckContext, node: CallSyntax, of: SyntaxNode): TestNode {
  if (of.kind !== 'name' && of.kind !== 'member' && of.kind !== 'index') {
    throw fail(of, `${node.name} wants a field, and ${quote(context, of)} is none.`, { expected: ['field'] })
  }
  const value = context.value(of)
  const span = { start: node.start, end: node.end }
  // A flag such as http is there in every call; what is asked is whether it holds.
  return value.kind === 'test' ? value.of : { kind: 'present', of: value, ...span }
}

function quantifier(
  context: CheckContext,
  node: CallSyntax,
  operator: 'exists' | 'all' | 'one',
  of: SyntaxNode,
  variable: SyntaxNode | undefined,
  body: SyntaxNode | undefined,
): TestNode {
  const list = listOf(context, of)
  const { context: inner, slot } = context.within(variableName(node, variable))
  if (!body)
    throw fail(name(node), `${node.name} wants a variable and a condition, as in ${node.name}(x, x == "a").`)
  return {
    kind: 'quantifier',
    operator,
    list,
    slot,
    body: inner.test(body),
    start: node.start,
    end: node.end,
  }
}

function transform(
  context: CheckContext,
  node: CallSyntax,
  kind: 'filter' | 'map',
  of: SyntaxNode,
): ValueNode {
  const list = listOf(context, of)
  const { context: inner, slot } = context.within(variableName(node, node.args[0]))
  const body = node.args[1]
  if (!body || node.args.length > 2)
    throw fail(name(node), `${kind} wants a variable and what to do with it, as in ${kind}(x, …).`)
  const place = { type: 'list', list, slot, start: node.start, end: node.end } as const
  return kind === 'filter'
    ? { kind, body: inner.test(body), ...place }
    : { kind, body: inner.value(body), ...place }
}

function variableName(node: CallSyntax, variable: SyntaxNode | undefined): string {
  if (variable?.kind === 'name') return variable.name
  throw fail(
    variable ?? name(node),
    `${node.name} wants a variable first, as in ${node.name}(x, x == "a").`,
    { expected: ['name'] },
  )
}

function listOf(context: CheckContext, of: SyntaxNode): ValueNode {
  const list = context.value(of)
  if (list.type === 'list' || list.type === 'json' || list.type === 'map') return list
  throw fail(of, `${quote(context, of)} is ${kindOf(list)}; a list was expected.`, { expected: ['list'] })
}

function size(context: CheckContext, node: CallSyntax, of: SyntaxNode): ValueNode {
  const value = context.value(of)
  if (!['string', 'ip', 'status', 'list', 'map', 'json'].includes(value.type)) {
    throw fail(of, `${quote(context, of)} is ${kindOf(value)} and has no size.`, {
      expected: ['text', 'list', 'map'],
    })
  }
  return { kind: 'size', type: 'integer', of: value, start: node.start, end: node.end }
}

function mapGet(context: CheckContext, node: CallSyntax): ValueNode {
  const [of, key, otherwise] = node.args
  if (!of || !key || node.args.length > 3)
    throw fail(name(node), 'map_get wants a map, a key and a default: map_get(request.headers, "x-id", "").')
  const map = context.value(of)
  if (map.type !== 'map' && map.type !== 'json') {
    throw fail(of, `${quote(context, of)} is ${kindOf(map)}; map_get wants a map.`, { expected: ['map'] })
  }
  const ignoreCase = map.kind === 'field' && map.field.ignoreCase === true
  const span = { start: node.start, end: node.end }
  const entry: ValueNode = {
    kind: 'member',
    type: 'json',
    of: map,
    key: context.value(key),
    ignoreCase,
    ...span,
  }
  if (!otherwise) return entry
  return { kind: 'otherwise', type: 'json', of: entry, otherwise: context.value(otherwise), ...span }
}

function convert(context: CheckContext, node: CallSyntax, to: 'int' | 'double' | 'string'): ValueNode {
  arity(node, 1, `${to}(x)`)
  const of = context.value(node.args[0])
  if (of.type === 'list' || of.type === 'map')
    throw fail(node.args[0], `${quote(context, node.args[0])} is ${kindOf(of)} and cannot become one value.`)
  const type = to === 'int' ? 'integer' : to === 'double' ? 'number' : 'string'
  return { kind: 'convert', type, of, start: node.start, end: node.end }
}

function written(
  context: CheckContext,
  node: CallSyntax,
  parse: (text: string) => number | undefined,
  like: string,
): number {
  const value = node.args.length === 1 ? context.value(node.args[0]) : undefined
  const text = value ? textOf(value) : undefined
  const parsed = text === undefined ? undefined : parse(text)
  if (parsed !== undefined) return parsed
  const place = node.args[0] ?? node
  throw fail(place, `${quote(context, place)} is not ${like}.`, { expected: [like] })
}

function arity(node: CallSyntax, count: number, like: string): void {
  if (node.args.length !== count) throw fail(node, `Write ${like}.`, { expected: [like] })
}

/** What others call `size`. */
const SIZES = ['length', 'len', 'count', 'strlen']

function unknown(node: CallSyntax, names: readonly string[], what: string) {
  const found = nearest(node.name, [...names, ...SIZES])
  const suggestion = found !== undefined && SIZES.includes(found) ? 'size' : found
  const hint = suggestion ? `; did you mean ${suggestion}?` : '.'
  const message = `Unknown ${what} "${node.name.slice(0, 60)}"${hint}`
  return fail(name(node), message, { expected: names, ...(suggestion ? { suggestion } : {}) })
}

function name(node: CallSyntax) {
  return { start: node.nameStart, end: node.nameStart + node.name.length }
}
