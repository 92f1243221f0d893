import { describe, expect, it } from 'vitest'
import { probe } from './probe.ts'

const ask = (text: string, side: 0 | 1) => {
  const bytes = new TextEncoder().encode(text)
  return probe(bytes, 0, bytes.length, side)
}

describe('redis is recognised', () => {
  it.each([
    '*1\r\n$4\r\nPING\r\n',
    '*2\r\n$8\r\nJSON.GET\r\n',
    'EXISTS a b\r\n',
    'SET a "b c"\r\n',
    'PING\r\nDBSIZE\r\n',
  ])('in %j of a client', (text) => expect(ask(text, 0)).toBe('yes'))

  it.each([
    '+PONG\r\n',
    '$-1\r\n',
    ':12\r\n',
    '*0\r\n',
    '*1\r\n$3\r\nfoo\r\n',
    '-WRONGTYPE x\r\n',
    '+OK\r\n:1\r\n',
    '%1\r\n+a\r\n:1\r\n',
    '_\r\n',
    ',1.5\r\n',
  ])('in %j of a server', (text) => expect(ask(text, 1)).toBe('yes'))

  it.each([
    ['PING\r\n', 0],
    ['get key\r\n', 0],
    ['*2\r\n$3\r\nfoo\r\n', 0],
    ['+OK\r\n', 1],
    ['-ERR what\r\n', 1],
    ['*1\r\n$4\r\nPI', 0],
  ] as const)('maybe in %j', (text, side) => expect(ask(text, side)).toBe('more'))

  it.each([
    ['set key 0 0 5\r\n', 0],
    ['incr key 5\r\n', 0],
    ['EHLO there\r\n', 0],
    ['GET / HTTP/1.1\r\n', 0],
    ['*1\r\n$4\r\nP NG\r\n', 0],
    ['+OK POP3 ready\r\n', 1],
    ["-ERR 'Unknown Protocol Operation'\r\n", 1],
    ['220 mail ESMTP\r\n', 1],
    [':irc.example 001 you\r\n', 1],
    ['\u0016\u0003\u0001', 0],
  ] as const)('not in %j', (text, side) => expect(ask(text, side)).not.toBe('yes'))
})
