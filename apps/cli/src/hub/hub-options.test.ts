import { expect, test } from 'vitest'
import { openHub } from './hub-options.ts'

test('the hub is where the option says, else the environment, else this machine', () => {
  const env = { TAPDECK_URL: 'https://hub.example/tapdeck/', TAPDECK_PORT: '7000' }
  expect(openHub({ options: { url: 'http://127.0.0.1:1' } as never, env }).base).toBe('http://127.0.0.1:1')
  expect(openHub({ options: {} as never, env }).base).toBe('https://hub.example/tapdeck')
  expect(openHub({ options: {} as never, env: { TAPDECK_PORT: '7000', TAPDECK_URL: '' } }).base).toBe(
    'http://127.0.0.1:7000',
  )
})

test.each(['nonsense', 'ftp://hub', '127.0.0.1:8898', 'http://', ''])('%j is no address of a hub', (url) => {
  expect(() => openHub({ options: { url } as never, env: {} })).toThrow('--url: expected an http or https')
  expect(() => openHub({ options: {} as never, env: { TAPDECK_URL: url || 'x' } })).toThrow('TAPDECK_URL')
})

test('a token that is not valid in a header is refused with that reason', () => {
  expect(() => openHub({ options: { token: 'a\nb' } as never, env: {} })).toThrow(
    '--token: a token is one word',
  )
  expect(() => openHub({ options: {} as never, env: { TAPDECK_TOKEN: 'a b' } })).toThrow('TAPDECK_TOKEN')
})
