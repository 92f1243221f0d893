import { ADDRESSES, NAMES, PROTOS, STATUSES, TEXTS } from './arbitrary-call.ts'
import {
  at,
  BLOCKS,
  type Field,
  FLAGS,
  LOOSE_FIELDS,
  NUMBER_FIELDS,
  PATTERNS,
  QUANTITIES,
  STATUS_FIELDS,
  TEXT_FIELDS,
} from './arbitrary-fields.ts'
import { pick, type Random } from './random.ts'

/**
 * A filter in both accents, and what it means, worked out from the rules of the language alone: nothing here uses the
 * parser, the checker or the predicate that it tests.
 */
export interface ArbitraryFilter {
  readonly words: string
  readonly cel: string
  meaning(call: object): boolean
}

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const
const EQUALITY = ['==', '!='] as const
type Operator = (typeof OPERATORS)[number]

/** A filter of conditions joined to at most `depth` levels. */
export function arbitraryFilter(random: Random, depth = 3): ArbitraryFilter {
  if (depth === 0 || random() < 0.3) return condition(random)
  const kind = random()
  if (kind < 0.25) return negated(arbitraryFilter(random, depth - 1), random)
  if (kind < 0.32) return chosen(random, depth)
  const isAnd = random() < 0.5
  const parts = Array.from({ length: random() < 0.7 ? 2 : 3 }, () => arbitraryFilter(random, depth - 1))
  const join = (texts: readonly string[], word: string) => texts.map((text) => `(${text})`).join(word)
  return {
    words: join(
      parts.map((part) => part.words),
      isAnd ? ' and ' : ' or ',
    ),
    cel: join(
      parts.map((part) => part.cel),
      isAnd ? ' && ' : ' || ',
    ),
    meaning: (call) =>
      isAnd ? parts.every((part) => part.meaning(call)) : parts.some((part) => part.meaning(call)),
  }
}

function negated(of: ArbitraryFilter, random: Random): ArbitraryFilter {
  const word = random() < 0.8 ? 'not ' : '!'
  return { words: `${word}(${of.words})`, cel: `!(${of.cel})`, meaning: (call) => !of.meaning(call) }
}

function chosen(random: Random, depth: number): ArbitraryFilter {
  const [test, yes, no] = [1, 2, 3].map(() => arbitraryFilter(random, depth - 1))
  return {
    words: `(${test.words}) ? (${yes.words}) : (${no.words})`,
    cel: `(${test.cel}) ? (${yes.cel}) : (${no.cel})`,
    meaning: (call) => (test.meaning(call) ? yes.meaning(call) : no.meaning(call)),
  }
}

function condition(random: Random): ArbitraryFilter {
  const makers = [
    textCondition,
    textCondition,
    partCondition,
    partCondition,
    setCondition,
    statusCondition,
    statusCondition,
  ]
  const others = [numberCondition, numberCondition, rangeCondition, addressCondition, flagCondition, presence]
  const rare = [
    regexCondition,
    pairCondition,
    sumCondition,
    protocolCondition,
    sizeCondition,
    booleanCondition,
    listCondition,
    jsonCondition,
  ]
  return pick(random, [...makers, ...others, ...rare])(random)
}

function same(text: string, meaning: (call: object) => boolean): ArbitraryFilter {
  return { words: text, cel: text, meaning }
}

function textField(random: Random): Field {
  return pick(random, random() < 0.85 ? TEXT_FIELDS : LOOSE_FIELDS)
}

function textCondition(random: Random): ArbitraryFilter {
  const of = textField(random)
  const operator = pick(random, random() < 0.7 ? EQUALITY : OPERATORS)
  const wanted = pick(random, [...TEXTS, ...NAMES])
  const flip = random() < 0.2
  // Ordering inside JSON and maps compares text if the other operand is a text.
  const text = flip
    ? `${quoted(random, wanted)} ${MIRROR[operator]} ${of.name}`
    : `${of.name} ${operator} ${quoted(random, wanted)}`
  return same(text, (call) => textHolds(of, operator, wanted, call))
}

const MIRROR: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

function textHolds(of: Field, operator: Operator, wanted: string, call: object): boolean {
  const value = of.read(call)
  const absent = value === undefined
  const equal = absent ? wanted === '' && of.scope(call) : value === wanted
  if (operator === '==') return equal
  if (operator === '!=') return of.scope(call) && !equal
  return !absent && holds(operator, codePointOrder(String(value), wanted))
}

function partCondition(random: Random): ArbitraryFilter {
  const of = random() < 0.85 ? textField(random) : pick(random, STATUS_FIELDS)
  const method = pick(random, ['contains', 'startsWith', 'endsWith'] as const)
  const source = pick(random, [...TEXTS, ...NAMES])
  const wanted = source.slice(0, Math.floor(random() * 4) + 1).replace(/\p{Surrogate}/gu, '')
  const not = random() < 0.25
  const literal = quoted(random, wanted)
  const meaning = (call: object) => {
    const value = of.read(call)
    const fits = value !== undefined && fitsPart(String(value), method, wanted)
    return not ? of.scope(call) && !fits : fits
  }
  const word = random() < 0.5 ? method : method.toLowerCase()
  if (not) return same(`${of.name} not ${word} ${literal}`, meaning)
  return { words: `${of.name} ${word} ${literal}`, cel: `${of.name}.${method}(${literal})`, meaning }
}

function fitsPart(text: string, method: 'contains' | 'startsWith' | 'endsWith', part: string): boolean {
  const index = text.indexOf(part)
  if (method === 'contains') return index >= 0
  if (method === 'startsWith') return text.slice(0, part.length) === part
  return part.length <= text.length && text.slice(text.length - part.length) === part
}

function setCondition(random: Random): ArbitraryFilter {
  const of = textField(random)
  const values = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    pick(random, [...TEXTS, ...NAMES]),
  )
  const not = random() < 0.3
  const items = values.map((value) => quoted(random, value)).join(', ')
  const [open, close] = pick(random, ['[]', '{}', values.length > 1 ? '()' : '[]'])
  return same(`${of.name} ${not ? 'not ' : ''}in ${open}${items}${close}`, (call) => {
    const found = values.some((value) => textHolds(of, '==', value, call))
    return not ? of.scope(call) && !found : found
  })
}

function statusCondition(random: Random): ArbitraryFilter {
  const of = pick(random, STATUS_FIELDS)
  const wanted = pick(random, STATUSES)
  const isNumber = typeof wanted === 'number'
  const operator = pick(random, isNumber ? OPERATORS : EQUALITY)
  const literal = isNumber && random() < 0.5 ? String(wanted) : `"${wanted}"`
  return same(`${of.name} ${operator} ${literal}`, (call) => {
    const value = of.read(call)
    if (value === undefined) return false
    const equal = String(value) === String(wanted)
    if (operator === '==') return equal
    if (operator === '!=') return of.scope(call) && !equal
    return /^(0|-?[1-9]\d*)$/.test(String(value)) && holds(operator, Number(value) - Number(wanted))
  })
}

function numberCondition(random: Random): ArbitraryFilter {
  const { field: of, values } = pick(random, QUANTITIES)
  const [text, wanted] = pick(random, values)
  const operator = pick(random, OPERATORS)
  return same(`${of.name} ${operator} ${text}`, (call) => {
    const value = of.read(call)
    return typeof value === 'number' && holds(operator, value - wanted)
  })
}

function rangeCondition(random: Random): ArbitraryFilter {
  const { field: of, values } = pick(random, QUANTITIES)
  const [low, high] = [pick(random, values), pick(random, values)].sort((a, b) => a[1] - b[1])
  const not = random() < 0.3
  return same(`${of.name} ${not ? 'not ' : ''}in ${low[0]}..${high[0]}`, (call) => {
    const value = of.read(call)
    if (typeof value !== 'number') return false
    return (value >= low[1] && value <= high[1]) !== not
  })
}

function addressCondition(random: Random): ArbitraryFilter {
  const side = pick(random, ['src', 'dst'])
  const [block, inside] = pick(random, BLOCKS)
  const written = random() < 0.5 ? block : `"${block}"`
  if (random() < 0.3) {
    const ip = pick(random, ADDRESSES)
    return same(`${side}.ip == ${ip}`, (call) => at(call, `${side}.ip`) === ip)
  }
  return same(`${side}.ip in ${random() < 0.5 ? written : `[${written}, 10.9.9.9]`}`, (call) =>
    inside(String(at(call, `${side}.ip`))),
  )
}

function flagCondition(random: Random): ArbitraryFilter {
  const [flag, proto] = pick(random, FLAGS)
  return same(flag, (call) => at(call, 'proto') === proto)
}

function presence(random: Random): ArbitraryFilter {
  const of = pick(random, [...TEXT_FIELDS, ...STATUS_FIELDS, ...NUMBER_FIELDS])
  const there = (call: object) => of.read(call) !== undefined
  const text = pick(random, [`has(${of.name})`, of.name, `${of.name} != null`])
  if (random() < 0.5) return same(text, there)
  return { words: `not (${text})`, cel: `!(${text})`, meaning: (call) => !there(call) }
}

function regexCondition(random: Random): ArbitraryFilter {
  const of = pick(random, TEXT_FIELDS)
  const pattern = pick(random, PATTERNS)
  const regex = new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'iu' : 'u')
  const literal = JSON.stringify(pattern)
  const meaning = (call: object) => {
    const value = of.read(call)
    return typeof value === 'string' && regex.test(value)
  }
  return { words: `${of.name} matches ${literal}`, cel: `${of.name}.matches(${literal})`, meaning }
}

function pairCondition(random: Random): ArbitraryFilter {
  const [left, right] = [pick(random, TEXT_FIELDS), pick(random, TEXT_FIELDS)]
  const operator = pick(random, EQUALITY)
  return same(`${left.name} ${operator} ${right.name}`, (call) => {
    const [a, b] = [left.read(call), right.read(call)]
    if (operator === '==') return a !== undefined && a === b
    return left.scope(call) && right.scope(call) && a !== b
  })
}

function sumCondition(random: Random): ArbitraryFilter {
  const [left, right] = [pick(random, NUMBER_FIELDS), pick(random, NUMBER_FIELDS)]
  const operator = pick(random, OPERATORS)
  const sign = pick(random, ['+', '-', '*', '/', '%'] as const)
  const wanted = pick(random, [0, 1, 80, 1443, 640_000])
  const sum = same(`${left.name} ${sign} ${right.name} ${operator} ${wanted}`, (call) => {
    const [a, b] = [left.read(call), right.read(call)]
    if (typeof a !== 'number' || typeof b !== 'number') return false
    const result = { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '%': a % b }[sign]
    return Number.isFinite(result) && holds(operator, result - wanted)
  })
  const milliseconds = same(`latency ${operator} tcp.handshake_us * 2`, (call) => {
    const [a, b] = [at(call, 'latency_ms'), at(call, 'tcp.handshake_us')]
    return typeof a === 'number' && typeof b === 'number' && holds(operator, a * 1000 - b * 2)
  })
  const joined = same(`src.ns + "/" + dst.ns ${operator} "shop/web"`, (call) => {
    const [a, b] = [at(call, 'src.ns'), at(call, 'dst.ns')]
    if (a === undefined || b === undefined) return false
    return holds(operator, codePointOrder(`${a}/${b}`, 'shop/web'))
  })
  return pick(random, [sum, sum, milliseconds, joined])
}

function protocolCondition(random: Random): ArbitraryFilter {
  const proto = pick(random, PROTOS)
  const written = random() < 0.5 ? proto.toUpperCase() : proto
  const operator = pick(random, EQUALITY)
  return same(
    `${pick(random, ['proto', 'protocol'])} ${operator} "${written}"`,
    (call) => (at(call, 'proto') === proto) === (operator === '=='),
  )
}

function sizeCondition(random: Random): ArbitraryFilter {
  const of = pick(random, TEXT_FIELDS)
  const operator = pick(random, OPERATORS)
  const wanted = Math.floor(random() * 10)
  const text = random() < 0.5 ? `size(${of.name})` : `${of.name}.size()`
  return same(`${text} ${operator} ${wanted}`, (call) => {
    const value = of.read(call)
    return typeof value === 'string' && holds(operator, [...value].length - wanted)
  })
}

function booleanCondition(random: Random): ArbitraryFilter {
  const wanted = random() < 0.5
  const text = pick(random, [`mongodb_success == ${wanted}`, `mongodb_success != ${!wanted}`])
  return same(text, (call) => at(call, 'mongodb.success') === wanted)
}

function listCondition(random: Random): ArbitraryFilter {
  const wanted = pick(random, NAMES)
  const elements = (call: object) => at(call, 'dns.questions') as readonly string[] | undefined
  const both = (call: object) => [at(call, 'src.ns'), at(call, 'dst.ns')]
  return pick(random, [
    same(`"${wanted}" in dns_questions`, (call) => elements(call)?.includes(wanted) === true),
    same(
      `dns_questions.exists(q, q.contains("${wanted}"))`,
      (call) => elements(call)?.some((q) => q.includes(wanted)) === true,
    ),
    same(`any(dns_questions, it == "${wanted}")`, (call) => elements(call)?.includes(wanted) === true),
    same(
      `dns_questions.all(q, q != "${wanted}")`,
      (call) => elements(call)?.every((q) => q !== wanted) === true,
    ),
    same(`size(dns_questions) > 0`, (call) => (elements(call)?.length ?? 0) > 0),
    same(`"${wanted}" in namespaces`, (call) => both(call).includes(wanted)),
    same(`namespaces contains "${wanted.slice(0, 2)}"`, (call) =>
      both(call).some((ns) => String(ns ?? '-').includes(wanted.slice(0, 2))),
    ),
  ])
}

function jsonCondition(random: Random): ArbitraryFilter {
  const document = (
    call: object,
  ): { n?: unknown; tags?: readonly string[]; error?: { code?: unknown } } | undefined => {
    const body = at(call, 'response.body')
    return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : undefined
  }
  return pick(random, [
    same('response.body.json.n == 80', (call) => String(document(call)?.n) === '80'),
    same('response.body.json.error.code == "a"', (call) => document(call)?.error?.code === 'a'),
    same(
      'response.body.json.error.code != "a"',
      (call) => document(call) !== undefined && document(call)?.error?.code !== 'a',
    ),
    same('response.body.json.tags[1] == "web"', (call) => document(call)?.tags?.[1] === 'web'),
    same('"shop" in response.body.json.tags', (call) => document(call)?.tags?.includes('shop') === true),
    same('has(response.body.json.error)', (call) => document(call)?.error !== undefined),
  ])
}

function quoted(random: Random, text: string): string {
  if (random() < 0.5) return JSON.stringify(text)
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function holds(operator: Operator, difference: number): boolean {
  if (operator === '==') return difference === 0
  if (operator === '!=') return difference !== 0
  if (operator === '<') return difference < 0
  if (operator === '<=') return difference <= 0
  return operator === '>' ? difference > 0 : difference >= 0
}

function codePointOrder(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = (left[index].codePointAt(0) ?? 0) - (right[index].codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
