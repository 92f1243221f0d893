import { expect, test } from 'vitest'
import { asCurl } from './as-curl.ts'

const dst = { ip: '10.0.0.2', port: 8080 }
const lines = (request: NonNullable<Parameters<typeof asCurl>[0]['request']>) =>
  asCurl({ proto: 'http', request, dst })?.split(' \\\n  ')

test('an HTTP request becomes a command that a shell reads as it is', () => {
  const request = {
    method: 'POST',
    url: 'http://shop/orders?a=1&b=2',
    headers: { host: 'shop', 'content-length': '9', 'x-note': "it's", accept: ['a/b', 'c/d'] },
    body: '{"a":"$b"}',
  }
  expect(lines(request)).toEqual([
    `curl --globoff --request POST --url 'http://shop/orders?a=1&b=2'`,
    `--header 'x-note: it'\\''s'`,
    `--header 'accept: a/b'`,
    `--header 'accept: c/d'`,
    `--data-raw '{"a":"$b"}'`,
  ])
})

test('without a URL the address of the server is used', () => {
  expect(lines({ method: 'GET', path: '/x' })).toEqual([
    'curl --globoff --request GET --url http://10.0.0.2:8080/x',
  ])
})

test.each([
  '-o/etc/cron.d/x',
  '--config',
  '@/etc/passwd',
  '*',
  'shop:443',
  'file:///etc/passwd',
  'gopher://h/x',
  'http:/x',
  'http://-ohost@evil/',
  'http://a b/',
  'http://{a,b}/',
])('the target %s gives no command', (url) => {
  expect(lines({ method: 'GET', url })).toBeUndefined()
})

test.each([
  { method: 'G T' },
  { method: 'GET\n' },
  { headers: { '@/etc/passwd': 'x' } },
  { headers: { 'a b': 'x' } },
  { headers: { a: 'x\r\nb: y' } },
  { body: 'a\0b' },
])('%j, which no command can repeat, gives none', (part) => {
  expect(lines({ method: 'GET', url: 'http://h/', ...part })).toBeUndefined()
})

test('control characters and characters that hide text are escaped', () => {
  const request = {
    method: 'POST',
    url: 'http://h/\x1b[2J\u00ff',
    headers: { a: "\x03'\\!" },
    body: '\r\x04rm -rf ~\n\u202e',
  }
  expect(lines(request)).toEqual([
    `curl --globoff --request POST --url 'http://h/%1B[2J%FF'`,
    `--header $'a: \\003\\'\\\\\\041'`,
    `--data-raw $'\\r\\004rm -rf ~\\n\\342\\200\\256'`,
  ])
})

test('other protocols and bodies that are not whole give none', () => {
  const request = { method: 'GET', path: '/x' }
  expect(asCurl({ proto: 'redis', request, dst })).toBeUndefined()
  expect(
    asCurl({ proto: 'http', request: { ...request, body: 'AA==', body_encoding: 'base64' }, dst }),
  ).toBeUndefined()
  expect(asCurl({ proto: 'http', request: { ...request, body: 'a', truncated: true }, dst })).toBeUndefined()
})
