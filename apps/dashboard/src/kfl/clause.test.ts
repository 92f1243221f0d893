import { expect, test } from 'vitest'
import { clauseFor, withAlternative, withClause } from './clause.ts'

const fields = [
  { name: 'src.pod.name', path: 'src.pod', type: 'string' },
  { name: 'src.pod', path: 'src.pod', type: 'string' },
  { name: 'status', path: 'status', type: 'status' },
  { name: 'response.status', path: 'status', type: 'status' },
  { name: 'request.headers', path: 'request.headers', type: 'map' },
  { name: 'redis_key', path: 'redis.key', type: 'string' },
]

test('a value becomes a comparison with the plainest name of its field', () => {
  expect(clauseFor(['src', 'pod'], 'cart', fields)).toBe('src.pod == "cart"')
  expect(clauseFor(['response', 'status'], 500, fields)).toBe('response.status == 500')
  expect(clauseFor(['redis', 'key'], 'user:1', fields)).toBe('redis_key == "user:1"')
})

test('an entry of a map is addressed by its key', () => {
  expect(clauseFor(['request', 'headers', 'x-id'], 'a', fields)).toBe('request.headers["x-id"] == "a"')
})

test('quotes and line ends inside a value cannot break out of it', () => {
  expect(clauseFor(['src', 'pod'], 'a"\\ or "b\n', fields)).toBe('src.pod == "a\\"\\\\ or \\"b\\n"')
})

test('what no field reads, and what is no literal, gives nothing', () => {
  expect(clauseFor(['tcp', 'fins'], 2, fields)).toBeUndefined()
  expect(clauseFor(['src', 'pod', 'x'], 'a', fields)).toBeUndefined()
  expect(clauseFor(['src', 'pod'], ['a'], fields)).toBeUndefined()
  expect(clauseFor(['src', 'pod'], 'x'.repeat(2000), fields)).toBeUndefined()
})

test('comparisons are joined by and', () => {
  expect(withClause('', 'a == 1')).toBe('a == 1')
  expect(withClause(' b == 2 ', 'a == 1')).toBe('b == 2 and a == 1')
})

test('a loose or is put in brackets first; one inside brackets or a string is left alone', () => {
  expect(withClause('b == 2 or c == 3', 'a == 1')).toBe('(b == 2 or c == 3) and a == 1')
  expect(withClause('b == 2 || c == 3', 'a == 1')).toBe('(b == 2 || c == 3) and a == 1')
  expect(withClause('(b == 2 or c == 3)', 'a == 1')).toBe('(b == 2 or c == 3) and a == 1')
  expect(withClause('b == "x or y"', 'a == 1')).toBe('b == "x or y" and a == 1')
})

test('a comparison that is there already is not repeated', () => {
  expect(withClause('a == 1 and b == 2', 'a == 1')).toBe('a == 1 and b == 2')
  expect(withClause('a == 10', 'a == 1')).toBe('a == 10 and a == 1')
})

test('a comparison can be turned round, or be another way to match', () => {
  const fields = [{ name: 'src.pod', path: 'src.pod', type: 'string' as const }]
  expect(clauseFor(['src', 'pod'], 'a', fields, '!=')).toBe('src.pod != "a"')
  expect(withAlternative('', 'a == 1')).toBe('a == 1')
  expect(withAlternative('b == 2', 'a == 1')).toBe('b == 2 or a == 1')
  expect(withAlternative('b == 2 and c == 3', 'a == 1')).toBe('(b == 2 and c == 3) or a == 1')
  expect(withAlternative('b == 2 or a == 1', 'a == 1')).toBe('b == 2 or a == 1')
})
