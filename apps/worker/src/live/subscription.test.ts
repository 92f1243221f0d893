import { type CallRecord, protocols, toCallRecord } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { expect, test } from 'vitest'
import { Subscription } from './subscription.ts'

const catalog = createCatalog(protocols)

function call(path: string): CallRecord {
  const direction = { packets: 1, bytes: 1, goodput: 1, missing: 0 }
  return toCallRecord(
    {
      flow: {
        id: 1,
        transport: 'tcp',
        ends: [
          { ip: '10.0.0.1', port: 1 },
          { ip: '10.0.0.2', port: 80 },
        ],
        midstream: false,
        start: 1e15,
        last: 1e15,
        directions: [direction, direction],
        state: undefined,
      },
      ordinal: 0,
      protocol: 'http',
      side: 0,
      start: 1e15,
      end: 1e15,
      summary: { method: 'GET', path },
    },
    { src: { ip: '10.0.0.1', port: 1 }, dst: { ip: '10.0.0.2', port: 80 } },
    'n',
    'af_packet',
  )
}

test('matching calls are collected until they are taken', () => {
  const subscription = new Subscription(compile('path == "/a"', catalog))
  expect(subscription.take()).toBeUndefined()
  for (const path of ['/a', '/b', '/a']) subscription.offer(call(path), 0)
  expect(subscription.take()).toMatchObject({ calls: [{ path: '/a' }, { path: '/a' }], skipped: 0 })
  expect(subscription.take()).toBeUndefined()
})

test('calls beyond the limit per second are skipped and counted', () => {
  const subscription = new Subscription(compile('', catalog))
  const record = call('/a')
  for (let at = 0; at < 1500; at++) subscription.offer(record, 5000)
  const first = subscription.take()
  expect(first?.calls).toHaveLength(1000)
  expect(first?.skipped).toBe(500)
  subscription.offer(record, 5500)
  expect(subscription.take()).toMatchObject({ calls: [], skipped: 1 })
  subscription.offer(record, 6000)
  expect(subscription.take()).toMatchObject({ calls: [{ path: '/a' }], skipped: 0 })
})
