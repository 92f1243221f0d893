import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LiveCall } from '@tapdeck/api'
import { expect, test } from 'vitest'
import { callAttributes, errorType, isFailed, spanName } from './call-attributes.ts'

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
    { proto: 'grpc', method: 'Get', path: '/shop.Cart/Get', status: 200, error: 'UNAVAILABLE: of Ada' },
    'shop.Cart/Get',
    {
      'rpc.system.name': 'grpc',
      'rpc.method': 'shop.Cart/Get',
      'rpc.status_code': 'UNAVAILABLE',
      'error.type': 'UNAVAILABLE',
    },
  ],
  [
    { proto: 'grpc', method: 'Get', path: '/shop.Cart/Get', status: 200 },
    'shop.Cart/Get',
    { 'rpc.status_code': 'OK' },
  ],
  [
    { proto: 'http', method: 'BREW', path: '/pot', status: 500, error: '500' },
    'HTTP',
    {
      'http.request.method': '_OTHER',
      'http.request.method_original': 'BREW',
      'url.path': '/pot',
      'url.scheme': 'http',
      'http.response.status_code': 500,
      'error.type': '500',
    },
  ],
  [
    { proto: 'postgresql', method: 'SELECT', path: 'SELECT secret', status: '42P01', error: '42P01' },
    'SELECT',
    {
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.response.status_code': '42P01',
      'error.type': '42P01',
    },
  ],
  [
    { proto: 'mongodb', method: 'find', path: 'shop.items', status: 'ok' },
    'find items',
    { 'db.system.name': 'mongodb', 'db.namespace': 'shop', 'db.collection.name': 'items' },
  ],
  [
    { proto: 'kafka', method: 'Produce', path: 'orders', status: 0 },
    'Produce orders',
    {
      'messaging.system.name': 'kafka',
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

/** Names that OpenTelemetry publishes, without those that it replaced. */
const names = new Set(
  ['stable', 'experimental'].flatMap((kind) => {
    const file = fileURLToPath(import.meta.resolve('@opentelemetry/semantic-conventions'))
    const text = readFileSync(join(dirname(file), `${kind}_attributes.d.mts`), 'utf8')
    const declared = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*declare const ATTR_\w+: "([^"]+)"/g
    return [...text.matchAll(declared)].flatMap(([, comment, name]) =>
      comment!.includes('@deprecated') ? [] : [name!],
    )
  }),
)
const calls: readonly Partial<LiveCall>[] = [
  { proto: 'http', method: 'GET', path: '/', status: 500, error: '500' },
  { proto: 'http', method: 'BREW', path: '/', status: 200 },
  { proto: 'grpc', path: '/a.B/C', status: 200, error: 'INTERNAL' },
  { proto: 'mongodb', method: 'find', path: 'shop.items', status: '11000', error: '11000' },
  { proto: 'kafka', method: 'Produce', path: 'orders', status: 3, error: '3' },
  { proto: 'dns', method: 'A', path: 'cart' },
]

test('all attributes are in the list of names that OpenTelemetry publishes, and have values', () => {
  for (const one of calls)
    for (const [name, value] of Object.entries(callAttributes(call(one)))) {
      expect(value, name).toBeDefined()
      if (!name.startsWith('tapdeck.')) expect(names, name).toContain(name)
    }
  expect(names).not.toContain('db.system')
  // A parser that found no path or method leaves the attribute out.
  for (const proto of ['http', 'grpc', 'redis', 'mongodb', 'kafka', 'dns'])
    expect(Object.values(callAttributes(call({ proto })))).not.toContain(undefined)
})

test('texts of errors are not sent', () => {
  for (const more of [
    { proto: 'grpc', status: 200, error: 'INTERNAL: a secret' },
    { proto: 'grpc', status: 200, error: 'stream reset: secret' },
    { proto: 'graphql', status: 200, error: 'secret' },
    { proto: 'ldap', error: 'no entry secret' },
  ]) {
    expect(errorType(call(more))).not.toContain('secret')
    expect(JSON.stringify(callAttributes(call(more)))).not.toContain('secret')
  }
})

test('client errors of gRPC are no failures of the server', () => {
  expect(isFailed(call({ proto: 'grpc', status: 200, error: 'NOT_FOUND: no cart' }))).toBe(false)
  expect(isFailed(call({ proto: 'grpc', status: 404, error: '404' }))).toBe(false)
  expect(isFailed(call({ proto: 'grpc', status: 503, error: '503' }))).toBe(true)
  expect(isFailed(call({ proto: 'grpc', status: 200, error: 'DATA_LOSS' }))).toBe(true)
  expect(isFailed(call({ proto: 'grpc', error: 'no_response' }))).toBe(true)
})

test('client errors of HTTP are no failures of the server; requests without an answer are', () => {
  expect(isFailed(call({ status: 404, error: '404' }))).toBe(false)
  expect(isFailed(call({ status: 500, error: '500' }))).toBe(true)
  expect(isFailed(call({ error: 'no_response' }))).toBe(true)
  expect(isFailed(call({ proto: 'redis', status: 'ERR', error: 'ERR' }))).toBe(true)
})
