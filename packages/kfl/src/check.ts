import type { Catalog } from './catalog.ts'
import { checkArithmetic, checkMinus } from './check-arithmetic.ts'
import { checkCall } from './check-call.ts'
import { checkCompare } from './check-compare.ts'
import { type CheckContext, fail, kindOf, quote, source } from './check-context.ts'
import { checkIn } from './check-in.ts'
import { checkText } from './check-text.ts'
import { constant } from './constant.ts'
import { microseconds } from './duration.ts'
import { FilterTooLarge } from './filter-too-large.ts'
import { MAX_NODES, MAX_REGEX_SIZE } from './limits.ts'
import { parse } from './parser.ts'
import { Regex } from './regex/regex.ts'
import { resolve } from './resolve.ts'
import type { Span } from './span.ts'
import type { SyntaxNode } from './syntax-node.ts'
import { treeSize } from './tree-size.ts'
import type { TestNode, ValueNode } from './typed-node.ts'

/** The checked form of a filter; throws `KflError` at the first thing that cannot be meant. */
export function check(text: string, syntax: SyntaxNode, catalog: Catalog, now: number | undefined): TestNode {
  let slots = 0
  let regexSize = 0
  const build = (variables: ReadonlyMap<string, number>): CheckContext => {
    const context: CheckContext = {
      text,
      catalog,
      now,
      variables,
      test: (node) => checkTest(context, node),
      value: (node) => checkValue(context, node),
      regex: (source) => {
        const regex = new Regex(source, MAX_REGEX_SIZE - regexSize)
        regexSize += regex.size
        return regex
      },
      within: (variable) => {
        const slot = slots++
        return { context: build(new Map(variables).set(variable, slot)), slot }
      },
    }
    return context
  }
  const tree = build(new Map()).test(syntax)
  if (treeSize(tree) <= MAX_NODES) return tree
  const message = `The filter expands to more than ${MAX_NODES} conditions.`
  const hint = 'Replace nested a ? b : c by and, or and not.'
  throw new FilterTooLarge(message, { position: 0, length: text.length }, MAX_NODES, hint)
}

function checkTest(context: CheckContext, node: SyntaxNode): TestNode {
  const span = { start: node.start, end: node.end }
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, parts: node.parts.map((part) => context.test(part)), written: true, ...span }
    case 'not':
      return { kind: 'not', of: context.test(node.of), ...span }
    case 'boolean':
      return { kind: 'always', value: node.value, ...span }
    case 'compare':
      return checkCompare(context, node)
    case 'text':
      return checkText(context, node)
    case 'in':
      return checkIn(context, node)
    case 'choose':
      return chooseTest(context, node)
    case 'call': {
      const called = checkCall(context, node)
      return 'test' in called ? called.test : truth(context, called.value, span)
    }
    case 'name':
    case 'member':
    case 'index':
      return truth(context, context.value(node), span)
    case 'null':
    case 'list':
    case 'range':
      throw noCondition(context, node)
    default:
      return truth(context, context.value(node), span)
  }
}

/** A value alone: true-or-false ones are asked for their value, fields for being there. */
function truth(context: CheckContext, value: ValueNode, span: Span): TestNode {
  if (value.kind === 'test') return value.of
  if (value.type === 'boolean' || (value.type === 'json' && value.kind !== 'constant'))
    return { kind: 'truth', of: value, ...span }
  if (value.kind === 'field' || value.kind === 'member') return { kind: 'present', of: value, ...span }
  throw noCondition(context, { ...value, ...span }, kindOf(value))
}

function noCondition(context: CheckContext, span: Span, kind?: string) {
  const is = kind ? ` is ${kind} and` : ''
  const written = quote(context, span)
  const suggestion = kind === 'text' ? { suggestion: `request.path contains ${source(context, span)}` } : {}
  return fail(span, `${written}${is} answers no question; compare it with a field.`, {
    expected: ['comparison'],
    ...suggestion,
  })
}

function chooseTest(context: CheckContext, node: Extract<SyntaxNode, { kind: 'choose' }>): TestNode {
  const span = { start: node.start, end: node.end }
  const test = context.test(node.test)
  const not: TestNode = { kind: 'not', of: test, start: test.start, end: test.end }
  const branch = (condition: TestNode, then: SyntaxNode): TestNode => ({
    kind: 'and',
    parts: [condition, context.test(then)],
    ...span,
  })
  return { kind: 'or', parts: [branch(test, node.yes), branch(not, node.no)], ...span }
}

function checkValue(context: CheckContext, node: SyntaxNode): ValueNode {
  const span = { start: node.start, end: node.end }
  switch (node.kind) {
    case 'string':
      return constant(node.value, 'string', node)
    case 'number':
      return constant(node.value, Number.isInteger(node.value) ? 'integer' : 'number', node)
    case 'duration':
      return constant(node.value, 'duration', node)
    case 'size':
      return { ...constant(node.value, 'integer', node), unit: 'bytes' }
    case 'boolean':
      return constant(node.value, 'boolean', node)
    case 'ip':
      return { kind: 'constant', type: 'ip', value: node.value, ...span }
    case 'name':
    case 'member':
    case 'index':
      return expand(context, resolve(context, node), span)
    case 'arithmetic':
      return checkArithmetic(context, node)
    case 'minus':
      return checkMinus(context, node)
    case 'choose':
      return chooseValue(context, node)
    case 'call': {
      const called = checkCall(context, node)
      return 'value' in called ? called.value : { kind: 'test', type: 'boolean', of: called.test, ...span }
    }
    case 'list':
      return { kind: 'list', type: 'list', items: node.items.map((item) => context.value(item)), ...span }
    case 'range':
      throw fail(node, 'A range stands after in, as in src.port in 1024..65535.', { expected: ['in'] })
    case 'null':
      throw fail(node, 'null can only be compared with == or !=.', { expected: ['== null', '!= null'] })
    default:
      return { kind: 'test', type: 'boolean', of: context.test(node), ...span }
  }
}

/** The filters that short names of the catalog stand for, parsed once. */
const meanings = new Map<string, SyntaxNode | undefined>()

function parsedMeaning(means: string): SyntaxNode | undefined {
  if (!meanings.has(means)) meanings.set(means, parse(means))
  return meanings.get(means)
}

/** A name that is short for a filter becomes that filter. */
function expand(context: CheckContext, value: ValueNode, span: Span): ValueNode {
  const means = value.kind === 'field' ? value.field.means : undefined
  const syntax = means === undefined ? undefined : parsedMeaning(means)
  if (means === undefined || !syntax) return value
  // Wrapped, because its parts are no parts of what was written.
  const of: TestNode = { kind: 'or', parts: [check(means, syntax, context.catalog, context.now)], ...span }
  return { kind: 'test', type: 'boolean', of, ...span }
}

function chooseValue(context: CheckContext, node: Extract<SyntaxNode, { kind: 'choose' }>): ValueNode {
  const test = context.test(node.test)
  const yes = context.value(node.yes)
  const no = context.value(node.no)
  const type =
    yes.type === no.type
      ? yes.type
      : bothNumbers(yes, no)
        ? 'number'
        : yes.type === 'json' || no.type === 'json'
          ? 'json'
          : undefined
  if (!type) {
    throw fail(
      node,
      `Both sides of ":" must be of one kind; ${quote(context, node.yes)} is ${kindOf(yes)} and ${quote(context, node.no)} is ${kindOf(no)}.`,
    )
  }
  const own = (node: ValueNode) => (type === 'duration' ? microseconds(node) : node)
  return { kind: 'choose', type, test, yes: own(yes), no: own(no), start: node.start, end: node.end }
}

function bothNumbers(yes: ValueNode, no: ValueNode): boolean {
  const isNumber = (node: ValueNode) => node.type === 'integer' || node.type === 'number'
  return isNumber(yes) && isNumber(no)
}
