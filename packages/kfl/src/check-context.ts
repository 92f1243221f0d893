import type { ErrorPlace } from '@tapdeck/spelling'
import type { Catalog } from './catalog.ts'
import { KflError } from './kfl-error.ts'
import type { Regex } from './regex/regex.ts'
import type { Span } from './span.ts'
import type { SyntaxNode } from './syntax-node.ts'
import type { TestNode, ValueNode } from './typed-node.ts'

/** What the parts of the checker share. */
export interface CheckContext {
  readonly text: string
  readonly catalog: Catalog
  /** Unix milliseconds, where the caller told them. */
  readonly now: number | undefined
  /** Variables of the macros around, by name. */
  readonly variables: ReadonlyMap<string, number>
  test(node: SyntaxNode): TestNode
  value(node: SyntaxNode): ValueNode
  /** All regular expressions of a filter share one bound. Throws `RegexError`. */
  regex(source: string): Regex
  /** The same with one more variable; its slot is new. */
  within(variable: string): { readonly context: CheckContext; readonly slot: number }
}

/** The text of a node as it was written. */
export function source(context: CheckContext, span: Span): string {
  return context.text.slice(span.start, span.end)
}

/** The text of a node, short enough for a sentence. */
export function quote(context: CheckContext, span: Span): string {
  return short(source(context, span))
}

/** A text, short enough for a sentence. */
export function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** An error at a place. Replacing the place by the suggestion gives a valid filter. */
export function fail(
  span: Span,
  message: string,
  hints: Omit<ErrorPlace, 'position' | 'length'> = {},
): KflError {
  return new KflError(message, { position: span.start, length: Math.max(1, span.end - span.start), ...hints })
}

const KINDS: Readonly<Record<ValueNode['type'], string>> = {
  string: 'text',
  integer: 'a number',
  number: 'a number',
  boolean: 'true or false',
  timestamp: 'a time',
  duration: 'a duration',
  ip: 'an IP address',
  status: 'a status',
  list: 'a list',
  map: 'a map',
  json: 'JSON',
}

export function kindOf(node: ValueNode): string {
  return node.kind === 'constant' && node.unit === 'bytes' ? 'a size' : KINDS[node.type]
}
