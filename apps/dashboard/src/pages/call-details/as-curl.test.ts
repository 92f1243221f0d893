import { expect, test } from 'vitest'
import { asCurl } from './as-curl.ts'

const dst = { ip: '10.0.0.2', port: 8080 }

test('an HTTP request becomes a command that a shell reads as it is', () => {
  const request = {
    method: 'POST',
    url: 'http://shop/orders?a=1&b=2',
    headers: { host: 'shop', 'content-length': '9', 'x-note': "it's", accept: ['a/b', 'c/d'] },
    body: '{"a":"$b"}',
  }
  expect(asCurl({ proto: 'http', request, dst })?.split(' \\\n  ')).toEqual([
    `curl -X POST 'http://shop/orders?a=1&b=2'`,
    `-H 'x-note: it'\\''s'`,
    `-H 'accept: a/b'`,
    `-H 'accept: c/d'`,
    `--data-raw '{"a":"$b"}'`,
  ])
})

test('without a URL the address of the server is used', () => {
  expect(asCurl({ proto: 'http', request: { method: 'GET', path: '/x' }, dst })).toBe(
    'curl -X GET http://10.0.0.2:8080/x',
  )
})

test('other protocols and bodies that are not whole give none', () => {
  const request = { method: 'GET', path: '/x' }
  expect(asCurl({ proto: 'redis', request, dst })).toBeUndefined()
  expect(
    asCurl({ proto: 'http', request: { ...request, body: 'AA==', body_encoding: 'base64' }, dst }),
  ).toBeUndefined()
  expect(asCurl({ proto: 'http', request: { ...request, body: 'a', truncated: true }, dst })).toBeUndefined()
})
