import { describe, expect, it } from 'vitest'
import { probe } from './probe.ts'
import { column, err, greeting, int32, joined, login, ok, packet, query } from './testing-packets.ts'

const verdict = (bytes: Uint8Array, side: 0 | 1) => probe(bytes, 0, bytes.length, side)

describe('MySQL is recognised', () => {
  it.each([
    ['a greeting', greeting(), 1],
    ['an error in place of it', packet(0, [0xff, 0x10, 4], 'Too many connections'), 1],
    ['a login', login(), 0],
    ['a query', query('select 1'), 0],
    ['a query with attributes', packet(0, [3, 0, 1], 'select 1'), 0],
    ['the beginning of a long query', query(`select ${'x'.repeat(9000)}`).subarray(0, 500), 0],
    ['an execution', packet(0, [0x17], int32(1), [0], int32(1)), 0],
    ['a good answer', ok(1), 1],
    ['a bad answer', err(1, 1064, 'no'), 1],
    ['columns', joined(packet(1, [1]), column(2, 'a')), 1],
  ] as const)('by %s', (_, bytes, side) => expect(verdict(bytes, side)).toBe('yes'))

  it('by no single weak command', () => expect(verdict(packet(0, [0x0e]), 0)).toBe('more'))

  it.each([
    ['HTTP', joined('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 0],
    ['an HTTP answer', joined('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 1],
    ['SMTP', joined('220 mail.example ESMTP\r\n'), 1],
    ['TLS', Uint8Array.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, 9, 9, 9]), 0],
    ['PostgreSQL', joined('Q', [0, 0, 0, 13], 'select 1\0'), 0],
    ['a command with a byte that no text has', query('select \x01'), 0],
  ] as const)('not in %s', (_, bytes, side) => expect(verdict(bytes, side)).toBe('no'))

  it('or left open at every cut', () => {
    for (const [bytes, side] of [
      [greeting(), 1],
      [login(), 0],
      [query('select 1'), 0],
      [ok(1), 1],
    ] as const)
      for (let end = 0; end < bytes.length; end++) expect(probe(bytes, 0, end, side)).not.toBe('no')
  })
})
