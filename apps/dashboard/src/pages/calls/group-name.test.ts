import { expect, test } from 'vitest'
import { connectionOf, traceOf, tracePaths } from './group-name.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const read = (headers: Readonly<Record<string, unknown>>) => (_id: string, path: string) =>
  headers[path.slice('request.headers.'.length)]

test('the calls of a connection share the begin of their id', () => {
  expect(connectionOf({ id: 'node-1/4711/3' })).toBe('node-1/4711')
})

test('a trace is named by its header; numbers that are too short are none', () => {
  const call = { id: 'a' }
  expect(traceOf(call, read({ traceparent: `00-${trace}-00f067aa0ba902b7-01` }))).toBe(trace)
  expect(traceOf(call, read({ traceparent: 'nonsense', 'x-request-id': ['req-12345'] }))).toBe('req-12345')
  expect(traceOf(call, read({ 'x-request-id': '7' }))).toBeUndefined()
  expect(traceOf(call, read({}))).toBeUndefined()
})

test('headers are asked for as they are usually written', () => {
  expect(tracePaths).toContain('request.headers.x-request-id')
  expect(tracePaths).toContain('request.headers.X-Request-Id')
})
