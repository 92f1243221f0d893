import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const bare = {
  proto: 'redis',
  ts: 0,
  src: { ip: '10.0.0.1', port: 1 },
  dst: { ip: '10.0.0.2', port: 2 },
  redis: {},
}

/** What each filter says of a call that lacks the field, in the order of the rules in `absence.ts`. */
describe('of a call without the field', () => {
  test.each([
    ['src.pod == "a"', false],
    ['src.pod < "z"', false],
    ['src.pod contains ""', false],
    ['src.pod in ["a"]', false],
    ['src.pod matches ".*"', false],
    ['latency < 1s', false],
    ['latency >= 0', false],
    ['response.status == 0', false],
    ['tcp.retransmissions == 0', false],
    ['size(src.pod) == 0', false],
    ['dns_questions.all(q, false)', false],

    ['src.pod == ""', true],
    ['src.pod != ""', false],
    ['src.pod in ["", "a"]', true],
    ['redis_key == ""', true],

    ['src.ns != "shop"', true],
    ['src.ns not in ["shop"]', true],
    ['src.ns not contains "shop"', true],
    ['src.labels.app != "shop"', true],
    ['redis_key != "a"', true],
    ['src.ns != dst.ns', false],
    ['src.ns == dst.ns', false],

    ['request.headers["x-id"] != "a"', false],
    ['request.headers["x-id"] == ""', false],
    ['response.body.json.code != "a"', false],
    ['query_string["page"] != "2"', false],
    ['"a" not in dns_questions', false],

    ['response.status != 200', false],
    ['latency != 1s', false],
    ['tcp.retransmissions != 0', false],
    ['mongodb_success != true', false],
    ['latency not in 1s..2s', false],

    ['not (response.status == 200)', true],
    ['!(latency > 1s)', true],
    ['!response.status', true],
    ['src.pod == null', true],
    ['src.pod != null', false],
  ])('%s: %s', (filter, expected) => {
    expect(compile(filter, catalog).matches(bare)).toBe(expected)
  })
})

test('a header that is missing among others differs', () => {
  const call = { ...bare, request: { headers: { accept: 'a' } } }
  expect(compile('request.headers["x-id"] != "a"', catalog).matches(call)).toBe(true)
  expect(compile('request.headers["x-id"] == ""', catalog).matches(call)).toBe(true)
})
