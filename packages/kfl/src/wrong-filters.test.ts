import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { KflError } from './kfl-error.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)

function errorOf(text: string): KflError {
  try {
    compile(text, catalog)
  } catch (error) {
    if (error instanceof KflError) return error
    throw error
  }
  throw new Error(`${text} is accepted`)
}

/** The filter, the message, the text that is pointed at, and the suggestion. */
const wrong: readonly (readonly [filter: string, message: string, place: string, suggestion?: string])[] = [
  ['request.path ==', 'Something is missing after "==".', '=='],
  ['http and', 'Something is missing after "and".', 'and'],
  ['and http', 'A filter cannot begin with "and".', 'and'],
  ['http dns', 'Expected an operator before "dns".', 'dns'],
  ['http)', 'This ")" closes nothing.', ')'],
  ['(http and dns', 'The "(" that opens here is never closed.', '('],
  ['src. == 1', 'A name is missing after the dot.', '=='],
  ['not', 'Something is missing after "not".', 'not'],
  ['http ? dns', 'Expected ":" and what to take otherwise.', ''],
  ['path; drop', 'Unexpected character ";".', ';'],
  ['request.path == "abc', 'The text that begins here has no closing ".', '"abc', '"abc"'],
  ['request.path == “abc”', 'Text stands between straight quotes, " or \'.', '“', '"'],
  [
    'reqest.path == "x"',
    'Unknown field "reqest.path"; did you mean request.path?',
    'reqest.path',
    'request.path',
  ],
  ['status_cod >= 500', 'Unknown field "status_cod"; did you mean status_code?', 'status_cod', 'status_code'],
  [
    'body_size > 1MB',
    'Unknown field "body_size"; did you mean request.body_size?',
    'body_size',
    'request.body_size',
  ],
  [
    'destination.service == "x"',
    'Unknown field "destination.service"; did you mean dst.service?',
    'destination.service',
    'dst.service',
  ],
  ['src.pod.uid == "x"', 'Unknown field "src.pod.uid"; did you mean src.pod?', 'src.pod.uid', 'src.pod'],
  [
    'src.labels.app.kubernetes.io == "x"',
    'An entry of src.labels is text and has no members; write src.labels["app.kubernetes.io"].',
    'src.labels.app.kubernetes.io',
    'src.labels["app.kubernetes.io"]',
  ],
  ['request == "/x"', 'Unknown field "request"; did you mean request.path?', 'request', 'request.path'],
  ['kafka_size > 1', 'Unknown field "kafka_size".', 'kafka_size'],
  [
    'udp_checksum == 1',
    '"udp_checksum" is a known name, but no call here has it: a udp call is a whole conversation, and checksums belong to single packets; they stand in the pcap. Nearest is udp_length.',
    'udp_checksum',
    'udp_length',
  ],
  [
    'src.labels == "x"',
    'src.labels is a map; compare one of its entries, as in src.labels["name"].',
    'src.labels == "x"',
    'src.labels["name"]',
  ],
  [
    'dns_questions == "example.com"',
    'dns_questions is a list; write "example.com" in dns_questions, or use .exists(x, …).',
    'dns_questions == "example.com"',
    '"example.com" in dns_questions',
  ],
  ['src.port == "80"', 'src.port is a number and "80" is text; write 80.', 'src.port == "80"', '80'],
  ['request.path == 5', 'request.path is text and 5 is a number; write "5".', 'request.path == 5', '"5"'],
  ['error == true', 'error is text, not true or false; write error.', 'error == true', 'error'],
  ['http == "yes"', 'http is true or false and "yes" is text; they cannot be compared.', 'http == "yes"'],
  ['mongodb_success > true', 'true and false have no order; use == or !=.', 'mongodb_success > true'],
  [
    'mongodb_success == "true"',
    'mongodb_success is true or false and "true" is text; write true.',
    'mongodb_success == "true"',
    'true',
  ],
  ['response.status > "OK"', 'Only numeric statuses have an order; "OK" is a word.', '"OK"'],
  ['response.status == 5xx', '"5xx" is not a number; write in 500..599.', '5xx', 'in 500..599'],
  ['response.status in 5xx', '"5xx" is not a number; write 500..599.', '5xx', '500..599'],
  [
    'response.status >= 1MB',
    'response.status is a status and 1MB is a size; they cannot be compared.',
    'response.status >= 1MB',
  ],
  ['response.status == 500.5', 'A status is a whole number or a word.', '500.5'],
  ['latency > 1MB', 'latency is a duration and 1MB is a size; they cannot be compared.', 'latency > 1MB'],
  ['latency > "soon"', '"soon" is not a duration such as 250ms or 1h30m.', '"soon"'],
  [
    'latency > src.port',
    'latency is a duration and src.port is a number; they cannot be compared.',
    'latency > src.port',
  ],
  [
    'latency > 250xs',
    '"250xs" has an unknown unit; durations end in us ms s m h d, sizes in B KB MB GB KiB MiB GiB.',
    '250xs',
  ],
  ['ts > "yesterday"', '"yesterday" is not a time such as "2026-01-31T12:00:00Z".', '"yesterday"'],
  [
    'timestamp > timestamp("2026-02-30")',
    '"2026-02-30" is not a time such as "2026-01-31T12:00:00Z".',
    '"2026-02-30"',
  ],
  [
    'latency > duration("5 minutes")',
    '"5 minutes" is not a duration such as "250ms" or "1h30m".',
    '"5 minutes"',
  ],
  ['ts > now() - 5m', 'now() is not known here; write timestamp("…").', 'now()', 'timestamp("…")'],
  ['src.ip == "10.0.0.x"', '"10.0.0.x" is not an IP address.', '"10.0.0.x"'],
  [
    'src.ip == 10.0.0.0/8',
    '10.0.0.0/8 is a block of addresses; write src.ip in 10.0.0.0/8.',
    'src.ip == 10.0.0.0/8',
    'src.ip in 10.0.0.0/8',
  ],
  [
    'src.ip in 10.0.0.0/33',
    '"10.0.0.0/33" is not an IP address or CIDR block such as 10.0.0.0/8.',
    '10.0.0.0/33',
  ],
  ['src.ip in "10.0.0/8"', '"10.0.0/8" is not an IP address or CIDR block such as 10.0.0.0/8.', '"10.0.0/8"'],
  [
    'src.ip > "10.0.0.1"',
    'Addresses have no order; use in with a CIDR block such as 10.0.0.0/8.',
    'src.ip > "10.0.0.1"',
    'in',
  ],
  ['src.pod in 10.0.0.0/8', 'src.pod is text; only an address can be in 10.0.0.0/8.', 'src.pod'],
  ['src.port in []', 'The list is empty: nothing is in it.', '[]'],
  ['src.port in 90..80', 'The range runs backwards; write 80..90.', '90..80', '80..90'],
  [
    'src.port in 80',
    'in wants a list, a range or a CIDR block; write src.port == 80.',
    '80',
    'src.port == 80',
  ],
  [
    'status in 500-599',
    'in wants a list, a range or a CIDR block; write status in 500..599.',
    '500-599',
    'status in 500..599',
  ],
  [
    'src.port in [80, "http"]',
    'src.port is a number and "http" is text; they cannot be compared.',
    'src.port in [80, "http"',
  ],
  [
    '"checkout" in dst.svc',
    'in wants a list, a range or a CIDR block; write dst.svc contains "checkout".',
    'dst.svc',
    'dst.svc contains "checkout"',
  ],
  [
    'dst.svc in "checkout"',
    'in wants a list, a range or a CIDR block; write dst.svc == "checkout".',
    '"checkout"',
    'dst.svc == "checkout"',
  ],
  ['request.path = "/x"', '"=" is not an operator; write ==.', '=', '=='],
  ['request.path === "/x"', '"===" is not an operator; write ==.', '===', '=='],
  ['request.path =~ "x"', '"=~" is not an operator; write matches.', '=~', 'matches'],
  ['http & dns', '"&" is not an operator; write &&.', '&', '&&'],
  ['request.path like "x"', '"like" is not an operator; write contains.', 'like', 'contains'],
  ['src.port eq 80', '"eq" is not an operator; write ==.', 'eq', '=='],
  [
    'src.ns not like "x"',
    'After "not" one of in, contains, startswith, endswith, matches is expected here.',
    'not',
  ],
  ['1 < src.port < 5', 'Comparisons do not chain; join two of them with and.', '<'],
  [
    '!response.status == 500',
    '! binds to response.status alone here; write !(response.status == 500).',
    '!response.status == 500',
    '!(response.status == 500)',
  ],
  ['request.path contains 5', 'contains wants text, and 5 is a number; write "5".', '5', '"5"'],
  ['src.port contains "8"', 'src.port is a number; contains works on text.', 'src.port'],
  [
    'request.headers contains "x"',
    'request.headers is a map; write "x" in request.headers, or look into one entry, as in request.headers["name"].',
    'request.headers contains "x"',
    '"x" in request.headers',
  ],
  ['request.path matches "["', '"[" is not a regular expression: a "[" is never closed.', '"["'],
  [
    'request.path matches "(a)\\\\1"',
    '"(a)\\\\1" is not a regular expression: back references are not supported.',
    '"(a)\\\\1"',
  ],
  [
    'request.path matches dst.svc',
    'matches wants a regular expression written out between quotes.',
    'dst.svc',
  ],
  [
    'contains(request.path, "x")',
    'contains stands between its two sides; write request.path contains "x".',
    'contains(request.path, "x")',
    'request.path contains "x"',
  ],
  [
    'request.path.startWith("/x")',
    'Unknown method "startWith"; did you mean startsWith?',
    'startWith',
    'startsWith',
  ],
  ['lenght(request.path) > 3', 'Unknown function "lenght"; did you mean size?', 'lenght', 'size'],
  ['size(src.port) > 1', 'src.port is a number and has no size.', 'src.port'],
  ['has("x")', 'has wants a field, and "x" is none.', '"x"'],
  ['dns_questions.exists(q == "x")', 'exists wants a variable first, as in exists(x, x == "a").', 'q == "x"'],
  ['request.path.exists(x, x == "a")', 'request.path is text; a list was expected.', 'request.path'],
  ['request.headers[0] == "x"', 'request.headers is a map; its keys are text, as in ["name"].', '0'],
  [
    'dns_questions["a"] == "x"',
    'dns_questions is a list; take an element by number, or use .exists(x, …).',
    '"a"',
  ],
  ['request.path + 1 == 2', 'request.path (text) + 1 (a number) has no meaning.', 'request.path + 1'],
  ['proto == "htpp"', 'There is no protocol "htpp"; did you mean "http"?', '"htpp"', '"http"'],
  [
    '"abc"',
    '"abc" is text and answers no question; compare it with a field.',
    '"abc"',
    'request.path contains "abc"',
  ],
  ['5', '5 is a number and answers no question; compare it with a field.', '5'],
  ['null', 'null answers no question; compare it with a field.', 'null'],
  ['1e999 == 1', 'The number is too large.', '1e999'],
  ['path.constructor("x")', 'Unknown method "constructor".', 'constructor'],
  ['map_get(path, "x", "") == "y"', 'path is text; map_get wants a map.', 'path'],
  ['src.port in 1..', 'Something is missing after "..".', '..'],
  [
    'any(dns_questions)',
    'any wants a list and a condition, as in any(dns_answers, it contains "10.").',
    'any',
  ],
  [
    'request.path matches "x{2000}"',
    '"x{2000}" is not a regular expression: more than 1000 repetitions.',
    '"x{2000}"',
  ],
  ['-path == 1', 'path is text and has no negative.', '-path'],
  ['path[0] == "x"', 'path is text and has nothing inside.', 'path[0]'],
  ['src.port in {80, 81', 'The "{" that opens here is never closed.', '{'],
]

describe('a wrong filter', () => {
  for (const [filter, message, place, suggestion] of wrong) {
    test(filter, () => {
      const error = errorOf(filter)
      expect(error.message).toBe(message)
      expect(filter.slice(error.position, error.position + error.length)).toBe(place)
      expect(error.suggestion).toBe(suggestion)
    })
  }

  test('says what was expected where nothing can be suggested', () => {
    expect(errorOf('request.path ==').expected).toEqual(['field', 'value'])
    expect(errorOf('http dns').expected).toContain('and')
    expect(errorOf('(http').expected).toEqual([')'])
  })

  test('of a megabyte is refused at once', () => {
    const message = 'The filter is 1048576 characters long; at most 65536 are accepted.'
    expect(errorOf('a'.repeat(1 << 20)).message).toBe(message)
  })

  test.each([
    ['parentheses', '('.repeat(30_000)],
    ['negations', `${'!'.repeat(30_000)}http`],
    ['sums', `1${'+1'.repeat(30_000)} == 1`],
    ['members', `response.body.json${'.a'.repeat(30_000)} == 1`],
    ['indexes', 'path['.repeat(10_000)],
    ['choices', `${'http ? http : '.repeat(4_000)}http`],
  ])('nested too deep in %s is refused', (_, filter) => {
    expect(errorOf(filter).message).toBe('The filter is nested more than 200 levels deep.')
  })
})
