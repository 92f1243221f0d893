import type { LiveCall } from '@tapdeck/api'
import { expect, test } from 'vitest'
import { callAttributes, isFailed, spanName } from './call-attributes.ts'

const call = (more: Partial<LiveCall>): LiveCall => ({
  id: 'n/1/1',
  ts: 1,
  src: { ip: '10.0.0.1', port: 4000 },
  dst: { ip: '10.0.0.2', port: 80 },
  proto: 'http',
  ...more,
})

test.each([
  [
    { proto: 'grpc', method: 'Get', path: '/shop.Cart/Get', status: 200, error: '14' },
    'shop.Cart/Get',
    { 'rpc.system.name': 'grpc', 'rpc.method': 'shop.Cart/Get', 'error.type': '14' },
  ],
  [
    { proto: 'postgresql', method: 'SELECT', path: 'SELECT secret', status: '42P01', error: '42P01' },
    'postgresql SELECT',
    {
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.response.status_code': '42P01',
      'error.type': '42P01',
    },
  ],
  [
    { proto: 'mongodb', method: 'find', path: 'shop.items', status: 'ok' },
    'mongodb find',
    { 'db.system.name': 'mongodb', 'db.namespace': 'shop', 'db.collection.name': 'items' },
  ],
  [
    { proto: 'kafka', method: 'Produce', path: 'orders', status: 0 },
    'Produce orders',
    {
      'messaging.system': 'kafka',
      'messaging.operation.name': 'Produce',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'orders',
    },
  ],
  [{ proto: 'dns', method: 'A', path: 'cart.shop' }, 'dns A', { 'dns.question.name': 'cart.shop' }],
  [{ proto: 'ldap', method: 'bind' }, 'ldap bind', { 'network.protocol.name': 'ldap' }],
  [{ proto: 'tcp' }, 'tcp', { 'network.protocol.name': 'tcp' }],
] as const)('describes %j', (more, name, attributes) => {
  expect(spanName(call(more))).toBe(name)
  expect(callAttributes(call(more))).toMatchObject(attributes)
})

test('statements and keys are not sent', () => {
  for (const proto of ['postgresql', 'mysql', 'redis', 'memcached', 'cassandra'])
    expect(JSON.stringify(callAttributes(call({ proto, method: 'GET', path: 'a secret' })))).not.toContain(
      'secret',
    )
})

test('client errors of HTTP are no failures of the server; requests without an answer are', () => {
  expect(isFailed(call({ status: 404, error: '404' }))).toBe(false)
  expect(isFailed(call({ status: 500, error: '500' }))).toBe(true)
  expect(isFailed(call({ error: 'no_response' }))).toBe(true)
  expect(isFailed(call({ proto: 'redis', status: 'ERR', error: 'ERR' }))).toBe(true)
})
