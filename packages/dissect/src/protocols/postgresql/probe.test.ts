import { describe, expect, it } from 'vitest'
import { probe } from './probe.ts'
import {
  bind,
  columns,
  complete,
  execute,
  joined,
  message,
  parse,
  query,
  ready,
  startup,
  sync,
} from './testing-messages.ts'

const verdict = (bytes: Uint8Array, side: 0 | 1) => probe(bytes, 0, bytes.length, side)

describe('PostgreSQL is recognised', () => {
  it.each([
    ['a startup packet', startup('app', 'shop'), 0],
    ['a request to encrypt', Uint8Array.from([0, 0, 0, 8, 4, 210, 22, 47]), 0],
    ['a query', query('select 1'), 0],
    ['the beginning of a long query', query(`select ${'x'.repeat(9000)}`).subarray(0, 500), 0],
    ['a Parse', parse('', 'select 1'), 0],
    ['a Bind', bind('', 's', '1'), 0],
    ['an Execute and a Sync', joined(execute(), sync), 0],
    ['the end of an answer', joined(complete('SELECT 1'), ready), 1],
    ['columns', columns('a', 'b'), 1],
  ] as const)('by %s', (_, bytes, side) => expect(verdict(bytes, side)).toBe('yes'))

  it('by no single weak message', () => expect(verdict(sync, 0)).toBe('more'))

  it.each([
    ['HTTP', joined('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 0],
    ['SMTP', joined('QUIT\r\n'), 0],
    ['TLS', Uint8Array.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), 0],
    [
      'a Kafka request',
      Uint8Array.from([0, 0, 0, 20, 0, 3, 0, 0, 0, 0, 0, 1, 0, 3, 97, 98, 99, 0, 0, 0, 0]),
      0,
    ],
    ['MySQL', joined([0x51, 0, 0, 0, 3], `select ${'x'.repeat(73)}`), 0],
    ['memcached', joined('STORED\r\n'), 1],
    ['a query with a byte that no text has', message('Q', 'sel\x01ect\0'), 0],
  ] as const)('not in %s', (_, bytes, side) => expect(verdict(bytes, side)).toBe('no'))

  it('or left open at every cut', () => {
    for (const [bytes, side] of [
      [startup('app', 'shop'), 0],
      [query('select 1'), 0],
      [joined(complete('SELECT 1'), ready), 1],
    ] as const)
      for (let end = 0; end < bytes.length; end++) expect(probe(bytes, 0, end, side)).not.toBe('no')
  })
})
