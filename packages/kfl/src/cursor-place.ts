import type { Catalog } from './catalog.ts'
import type { CatalogField } from './field.ts'
import { FilterTooLarge } from './filter-too-large.ts'
import { KflError } from './kfl-error.ts'
import { tokenize } from './lexer.ts'
import { MAX_TEXT } from './limits.ts'
import type { Token } from './token.ts'

/** What stands around a cursor. */
export interface CursorPlace {
  readonly from: number
  readonly to: number
  /** What was typed of the thing at the cursor. */
  readonly prefix: string
  readonly wanted: 'operand' | 'operator' | 'value'
  /** Inside quotes. */
  readonly quoted: boolean
  /** The field on the other side of the operator, or before the cursor. */
  readonly field?: CatalogField
  /** The entry of a map at the cursor. */
  readonly key?: string
}

interface Chain {
  readonly field: CatalogField
  readonly key?: string
}

const COMPARING = new Set([
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'contains',
  'startswith',
  'endswith',
  'matches',
])
/** A text is read again up to its first error. Cut there, a token may be another error: not often. */
const MAX_ATTEMPTS = 4

const METHODS = new Set(['contains', 'startswith', 'endswith', 'matches'])
const OPENING = new Set([
  'and',
  'or',
  'not',
  '&&',
  '||',
  '!',
  '(',
  '[',
  '{',
  ',',
  '?',
  ':',
  '+',
  '-',
  '*',
  '/',
  '%',
  '..',
])

export function placeOf(text: string, cursor: number, catalog: Catalog): CursorPlace {
  const head = text.slice(0, cursor)
  const { tokens, quote } = tokensOf(head)
  if (quote !== undefined) {
    const to = text[cursor] === text[quote] ? cursor + 1 : cursor
    const field = leftField(tokens, catalog)
    return {
      from: quote,
      to,
      prefix: head.slice(quote + 1),
      wanted: 'value',
      quoted: true,
      ...field,
    }
  }
  const from = nameStart(head)
  const typed = head.slice(from)
  const to =
    typed === '' ? cursor : cursor + (/^[\w.]*/.exec(text.slice(cursor, cursor + 200))?.[0].length ?? 0)
  const before = tokens.filter((token) => token.end <= from && token.kind !== 'end')
  const last = before[before.length - 1]
  const word = last && last.kind !== 'string' ? last.text.toLowerCase() : ''
  const operand = !last || OPENING.has(word) || COMPARING.has(word)
  if (!operand) {
    const field = chainField(before, before.length - 1, catalog)
    return { from, to, prefix: typed, wanted: 'operator', quoted: false, ...field }
  }
  const field = leftField(before, catalog)
  return {
    from,
    to,
    prefix: typed,
    wanted: field ? 'value' : 'operand',
    quoted: false,
    ...field,
  }
}

/** Where the name begins that ends at the end of a text; the end itself where there is none. */
function nameStart(text: string): number {
  let start = text.length
  for (let at = text.length - 1; at >= 0 && isNamePart(text.charCodeAt(at)); at--)
    if (isNameStart(text.charCodeAt(at))) start = at
  return start
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 0x30 && code <= 0x39) || code === 0x2e
}

function isNameStart(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f
}

/** The tokens before the cursor, as far as they can be read, and where an open quote is. */
function tokensOf(head: string): { readonly tokens: readonly Token[]; readonly quote?: number } {
  if (head.length > MAX_TEXT) return { tokens: [] }
  let end = head.length
  let quote: number | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      const tokens = tokenize(head.slice(0, end))
      return quote === undefined ? { tokens } : { tokens, quote }
    } catch (error) {
      if (!(error instanceof KflError)) throw error
      if (error instanceof FilterTooLarge) return { tokens: [] }
      const isOpen = error.expected?.length === 1 && /^["']$/.test(error.expected[0])
      if (attempt === 0 && isOpen) quote = error.position
      end = error.position
    }
  }
  return quote === undefined ? { tokens: [] } : { tokens: [], quote }
}

/** The field that a value at the end would be compared with: `field ==`, `field in [a,`, `field.contains(`. */
function leftField(tokens: readonly Token[], catalog: Catalog): Chain | undefined {
  let at = tokens.length - 1
  while (at >= 0 && tokens[at].kind === 'end') at--
  let commas = at
  while (commas > 0 && (tokens[commas].text === ',' || isLiteral(tokens[commas]))) commas--
  const opens = tokens[commas]?.text
  if (opens === '[' || opens === '(' || opens === '{') {
    const name = tokens[commas - 1]?.text.toLowerCase() ?? ''
    if (name === 'in') return chainField(tokens, beforeNot(tokens, commas - 2), catalog)
    if (METHODS.has(name) && opens === '(' && tokens[commas - 2]?.text === '.')
      return chainField(tokens, commas - 3, catalog)
    return undefined
  }
  if (at < 0 || !COMPARING.has(tokens[at].text.toLowerCase()) || tokens[at].kind === 'string')
    return undefined
  return chainField(tokens, beforeNot(tokens, at - 1), catalog)
}

/** `field not in` and `field not contains` have one word more. */
function beforeNot(tokens: readonly Token[], at: number): number {
  return tokens[at]?.text.toLowerCase() === 'not' ? at - 1 : at
}

function isLiteral(token: Token): boolean {
  return token.kind !== 'name' && token.kind !== 'punctuation' && token.kind !== 'end'
}

/** The field whose name ends at a token: `a . b [ "c" ]` read backwards. */
function chainField(tokens: readonly Token[], end: number, catalog: Catalog): Chain | undefined {
  let name = ''
  for (let at = end; at >= 0; at--) {
    const token = tokens[at]
    const key = tokens[at - 1]
    if (token.text === ']' && key?.kind === 'string' && tokens[at - 2]?.text === '[') {
      name = `.${key.value}${name}`
      at -= 2
      continue
    }
    if (token.kind !== 'name') break
    name = token.text + name
    if (tokens[at - 1]?.text !== '.') break
    name = `.${name}`
    at--
  }
  // No name of the catalog is longer than this, so that a path of thousands of steps is searched only at its start.
  const longest = catalog.fields.reduce((most, field) => Math.max(most, field.name.length), 0)
  let known = name.length
  while (known > 0) {
    const field = known > longest ? undefined : catalog.find(name.slice(0, known))
    if (field) return { field, ...(known < name.length && { key: name.slice(known + 1) }) }
    known = Math.max(0, name.lastIndexOf('.', Math.min(known - 1, longest)))
  }
  return undefined
}
