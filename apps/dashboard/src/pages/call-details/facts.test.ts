import { expect, test } from 'vitest'
import { factsOf, factText } from './facts.ts'

test('nested values keep the way to them, absent ones are left out', () => {
  const half = { path: '/a', size: 0, grpc: { status: 3 }, gone: undefined, none: null, list: [], body: 'x' }
  expect(factsOf(half, ['request'], ['body'])).toEqual([
    { label: 'path', path: ['request', 'path'], value: '/a' },
    { label: 'size', path: ['request', 'size'], value: 0 },
    { label: 'grpc.status', path: ['request', 'grpc', 'status'], value: 3 },
  ])
})

test('an exclusion counts at the top only', () => {
  expect(factsOf({ a: { body: 1 } }, ['x'], ['body']).map((fact) => fact.label)).toEqual(['a.body'])
})

test('what is nested too deep is shown as it is', () => {
  const facts = factsOf({ a: { b: { c: { d: 1 } } } }, [])
  expect(facts).toEqual([{ label: 'a.b.c', path: ['a', 'b', 'c'], value: { d: 1 } }])
})

test('lists of plain values read as lists, others as JSON', () => {
  expect(factText(['a', 1])).toBe('a, 1')
  expect(factText([{ a: 1 }])).toBe('[\n  {\n    "a": 1\n  }\n]')
  expect(factText(false)).toBe('false')
})

test('captured text cannot hide or reorder what is shown', () => {
  expect(factText('a\u202eb\u200b')).toBe('a\\u202eb\\u200b')
  expect(factText(['\u2066', 'x'])).toBe('\\u2066, x')
})
