/** Filters of about so many characters, each built to be expensive in its own way. */
export const expensiveFilters: Readonly<Record<string, (size: number) => string>> = {
  'a path of many steps': (size) => `request.headers${repeat('.a', size)}`,
  'a path before a comparison': (size) => `request.headers${repeat('.a', size)} == 1`,
  'a path of an unknown field': (size) => `a${repeat('.a', size)} == 1`,
  'many indexes': (size) => `response.body.json${repeat('["a"]', size)} == 1`,
  'a long name': (size) => repeat('a', size),
  'a long name before a sign': (size) => `${repeat('a', size)}!`,
  'a long number': (size) => repeat('1', size),
  'many dots': (size) => repeat('1.', size),
  'many units': (size) => `${repeat('1s', size)}!`,
  'a long text': (size) => `path == "${repeat('a', size)}"`,
  'an open text': (size) => `path == "${repeat('\\"', size)}`,
  'lone surrogates': (size) => `path == "${repeat('\ud800', size)}"`,
  'curved quotes': (size) => repeat('“ ', size),
  'many colons': (size) => repeat('a:', size),
  'many brackets': (size) => repeat('(', size),
  'nested brackets, again and again': (size) =>
    join(`${'('.repeat(150)}http${')'.repeat(150)}`, ' or ', size),
  'many negations': (size) => join(`${'!'.repeat(150)}http`, ' or ', size),
  'a nested choice': (size) => {
    const depth = Math.min(150, Math.floor(size / 12))
    return `${'('.repeat(depth)}http${' ? dns : dns)'.repeat(depth)}`
  },
  'many choices': (size) => join('(http ? http : dns)', ' or ', size),
  'a sum': (size) => `1${repeat('+1', size)} == 1`,
  'a list of numbers': (size) => `src.port in [${join('1', ',', size)}]`,
  'a list of ranges': (size) => `src.port in [${join('1..2', ',', size)}]`,
  'a list of blocks': (size) => `src.ip in [${join('10.0.0.0/8', ',', size)}]`,
  'a list of fields': (size) => `src.port in [${join('dst.port', ',', size)}]`,
  'a list of texts': (size) => `proto in [${join('"http"', ',', size)}]`,
  'an open list': (size) => `src.port in [${repeat(',', size)}`,
  'many short names': (size) => join('http', ' or ', size),
  'many conjuncts': (size) => join('path=="a"', ' and ', size),
  'many differences': (size) => join('src.ns!=dst.ns', ' and ', size),
  'many members': (size) => join('src.name contains "a"', ' or ', size),
  'many macros': (size) => join('dns_questions.exists(x, x == "a")', ' and ', size),
  'nested macros': (size) => {
    const depth = Math.min(60, Math.floor(size / 30))
    return `${'dns_questions.exists(x, '.repeat(depth)}true${')'.repeat(depth)}`
  },
  'many patterns': (size) => join('path matches "a"', ' and ', size),
  'patterns with repetitions': (size) => join('path matches "a{999}"', ' and ', size),
  'patterns with nested repetitions': (size) => join('path matches "((((){99}){99}){99}){99}"', ' or ', size),
  'patterns with letters of both cases': (size) =>
    join(`path matches "(?i)${'[Ā-Ԁ]'.repeat(100)}"`, ' and ', size),
  'a pattern with many states': () => 'path matches "[ab]*a[ab]{600}c"',
  'a long pattern': (size) => `path matches "${repeat('(a|b)*', Math.min(size, 1990))}"`,
}

export function repeat(unit: string, size: number): string {
  return unit.repeat(Math.max(1, Math.floor(size / unit.length)))
}

function join(unit: string, separator: string, size: number): string {
  return unit + repeat(separator + unit, size - unit.length)
}
