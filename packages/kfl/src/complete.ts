import type { Catalog } from './catalog.ts'
import { FUNCTIONS, METHODS } from './check-call.ts'
import { type CursorPlace, placeOf } from './cursor-place.ts'
import type { CatalogField, ValueType } from './field.ts'

export interface CompletionItem {
  readonly label: string
  readonly kind: 'field' | 'operator' | 'function' | 'method' | 'value'
  readonly doc: string
}

export interface Completion {
  /** What the items replace: `text.slice(from, to)`. */
  readonly from: number
  readonly to: number
  readonly items: readonly CompletionItem[]
  /** The field whose observed values would fit here; the caller knows them. */
  readonly valuesOf?: string
  /** Of a map, whose entry it is: the key. */
  readonly key?: string
  /** What was typed of such a value so far, without quotes. */
  readonly prefix?: string
  /** Such values are texts and need quotes. */
  readonly quoted?: boolean
}

const MAX_ITEMS = 1000

const OPERATORS: Readonly<Record<string, string>> = {
  '==': 'equal',
  '!=': 'not equal',
  '<': 'less',
  '<=': 'at most',
  '>': 'more',
  '>=': 'at least',
  in: 'one of a list, a range or a CIDR block',
  contains: 'has the text in it',
  startswith: 'begins with the text',
  endswith: 'ends with the text',
  matches: 'the regular expression fits somewhere',
}

const EQUALITY = ['==', '!=', 'in']
const ORDER = ['==', '!=', '<', '<=', '>', '>=', 'in']
const TEXT = ['==', '!=', 'contains', 'startswith', 'endswith', 'matches', 'in']

const OPERATORS_OF: Readonly<Record<ValueType, readonly string[]>> = {
  string: TEXT,
  ip: TEXT,
  status: [...ORDER, 'contains', 'startswith', 'endswith', 'matches'],
  integer: ORDER,
  number: ORDER,
  duration: ORDER,
  timestamp: ORDER,
  boolean: EQUALITY.slice(0, 2),
  list: ['contains', 'startswith', 'endswith', 'matches'],
  map: [],
  json: Object.keys(OPERATORS),
}

const METHODS_OF: Partial<Readonly<Record<ValueType, readonly string[]>>> = {
  string: ['contains', 'startsWith', 'endsWith', 'matches', 'size'],
  ip: ['contains', 'startsWith', 'endsWith', 'matches'],
  status: ['contains', 'startsWith', 'endsWith', 'matches'],
  list: ['exists', 'all', 'exists_one', 'filter', 'map', 'size'],
  map: ['size'],
  json: Object.keys(METHODS),
}

const CONNECTIVES: readonly CompletionItem[] = [
  { label: 'and', kind: 'operator', doc: 'both hold' },
  { label: 'or', kind: 'operator', doc: 'one of them holds' },
]

/** Completions at the cursor. Never throws, because filters are incomplete while being typed. */
export function complete(text: string, cursor: number, catalog: Catalog): Completion {
  const place = placeOf(text, Math.max(0, Math.min(cursor, text.length)), catalog)
  const items = itemsAt(place, catalog)
  return {
    from: place.from,
    to: place.to,
    items: ranked(items, place.prefix).slice(0, MAX_ITEMS),
    ...(place.wanted === 'value' && place.field ? wantedValues(place, place.field) : {}),
  }
}

function wantedValues(place: CursorPlace, field: CatalogField) {
  const quoted = place.quoted || !['integer', 'number', 'duration', 'boolean'].includes(field.type)
  const { key, prefix } = place
  return { valuesOf: field.name, ...(key === undefined ? {} : { key }), prefix, quoted }
}

function itemsAt(place: CursorPlace, catalog: Catalog): readonly CompletionItem[] {
  if (place.wanted === 'operator') return operators(place.field)
  const values = place.wanted === 'value' && place.field ? valuesFor(place.field, catalog, place.quoted) : []
  if (place.quoted) return values
  return [...values, ...methods(place.prefix, catalog), ...fields(catalog), ...functions(place)]
}

function operators(field: CatalogField | undefined): readonly CompletionItem[] {
  const labels = field ? (field.means === undefined ? OPERATORS_OF[field.type] : []) : Object.keys(OPERATORS)
  return [
    ...labels.map((label): CompletionItem => ({ label, kind: 'operator', doc: OPERATORS[label] })),
    ...CONNECTIVES,
  ]
}

function valuesFor(field: CatalogField, catalog: Catalog, quoted: boolean): readonly CompletionItem[] {
  const value = (label: string, doc: string): CompletionItem => ({ label, kind: 'value', doc })
  if (field.path === 'proto' && field.type === 'string') {
    return catalog.protocols.map((name) => value(`"${name}"`, `Calls of ${name}`))
  }
  if (quoted) return []
  if (field.type === 'boolean') return [value('true', 'holds'), value('false', 'does not hold')]
  if (field.type === 'timestamp')
    return [value('now()', FUNCTIONS.now), value('timestamp("")', FUNCTIONS.timestamp)]
  return []
}

function fields(catalog: Catalog): readonly CompletionItem[] {
  return catalog.fields.map((field) => ({ label: field.name, kind: 'field', doc: field.doc }))
}

function functions(place: CursorPlace): readonly CompletionItem[] {
  const items = Object.entries(FUNCTIONS).map(
    ([name, doc]): CompletionItem => ({ label: `${name}(`, kind: 'function', doc }),
  )
  return place.wanted === 'value'
    ? items
    : [...items, { label: 'not', kind: 'operator', doc: 'does not hold' }]
}

/** `request.path.` wants the methods of a text. */
function methods(prefix: string, catalog: Catalog): readonly CompletionItem[] {
  const dot = prefix.lastIndexOf('.')
  const field = dot < 0 ? undefined : catalog.find(prefix.slice(0, dot))
  if (!field || field.means !== undefined) return []
  return (METHODS_OF[field.type] ?? []).map((name) => ({
    label: `${field.name}.${name}(`,
    kind: 'method',
    doc: METHODS[name],
  }))
}

/** Those that begin with what was typed, then those that have it in them. */
function ranked(items: readonly CompletionItem[], prefix: string): readonly CompletionItem[] {
  const typed = prefix.toLowerCase()
  if (typed === '') return items
  const bare = (item: CompletionItem) => item.label.toLowerCase().replace(/^"/, '')
  const beginning = items.filter((item) => bare(item).startsWith(typed))
  const inside = items.filter((item) => !bare(item).startsWith(typed) && bare(item).includes(typed))
  return [...beginning, ...inside]
}
