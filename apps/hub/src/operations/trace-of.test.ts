import { expect, it } from 'vitest'
import { traceOf } from './trace-of.ts'

const call = (headers: Record<string, string>) => ({
  id: 'n/1/0',
  ts: 0,
  src: { ip: '10.0.0.1', port: 1 },
  dst: { ip: '10.0.0.2', port: 2 },
  proto: 'http',
  request: { headers },
})

it('takes the trace id of a traceparent, else another request id in any case, and no short one', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736'
  expect(traceOf(call({ Traceparent: `00-${id}-00f067aa0ba902b7-01` }))).toEqual({
    header: 'traceparent',
    value: id,
  })
  expect(traceOf(call({ 'X-Request-Id': 'req-12345678' }))).toEqual({
    header: 'x-request-id',
    value: 'req-12345678',
  })
  expect(traceOf(call({ traceparent: 'nonsense' }))).toBeUndefined()
  expect(traceOf(call({ 'x-request-id': '7' }))).toBeUndefined()
  expect(traceOf(call({}))).toBeUndefined()
})
