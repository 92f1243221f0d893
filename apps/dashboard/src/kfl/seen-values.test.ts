import { expect, test } from 'vitest'
import type { CompactCall } from '../client/call-details.ts'
import { seenValues } from './seen-values.ts'

const call = (svc: string, status: number): CompactCall => ({
  id: svc,
  ts: 1,
  proto: 'http',
  status,
  src: { ip: '10.0.0.1', port: 4000 },
  dst: { ip: '10.0.0.2', port: 80, svc },
})
const calls = [call('cart', 200), call('catalog', 500), call('cart', 200), call('pay', 200)]
const labels = (filter: string, caret = filter.length) =>
  seenValues(filter, caret, calls)?.items.map((item) => item.label)

test('values that were seen are offered, the most frequent first', () => {
  expect(labels('dst.svc == ')).toEqual(['"cart"', '"catalog"', '"pay"'])
  expect(labels('proto == "http" and dst.svc == "ca')).toEqual(['"cart"', '"catalog"'])
  expect(labels('response.status != ')).toEqual(['200', '500'])
})

test('what was typed of the value is replaced, quotes included', () => {
  expect(seenValues('dst.svc == "ca', 14, calls)).toMatchObject({ from: 11, to: 14 })
  expect(seenValues('dst.svc == "ca" and x', 14, calls)).toMatchObject({ from: 11, to: 15 })
  expect(seenValues("dst.svc == 'p", 13, calls)).toMatchObject({
    from: 11,
    to: 13,
    items: [{ label: '"pay"' }],
  })
})

test('nothing is offered where no value is being written, or none is known', () => {
  expect(labels('dst.s')).toBeUndefined()
  expect(labels('dst.svc == "cart" ')).toBeUndefined()
  expect(labels('dst.svc == 5 and ')).toBeUndefined()
  expect(labels('dst.svc == "zzz')).toBeUndefined()
  expect(labels('src.svc == ')).toBeUndefined()
  expect(labels('constructor == ')).toBeUndefined()
  expect(labels('dst.svc == "pay')).toBeUndefined()
})
