import { expect, it } from 'vitest'
import { locate, locateNext, locateVerb, type Span } from './arguments.ts'

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const command = (...words: readonly string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`

const commands = [
  command('GET', 'a'),
  command('PING'),
  command('GET', ''),
  command('GET', 'k'.repeat(9)),
  command('GET', 'k'.repeat(10)),
  command('SET', 'k'.repeat(99), 'v'),
  command('SET', 'k'.repeat(100), 'v'),
  command('SUBSCRIBED-LONG', 'key'),
  command(...Array.from({ length: 12 }, () => 'MGET')),
  '*2\r\n+GET\r\n$1\r\na\r\n',
  '*2\r\n$x\r\nGET\r\n$1\r\na\r\n',
  '*2\r\n$3\r\nGET\r\n:12\r\n',
  'GET a\r\n',
  '>2\r\n$3\r\nGET\r\n$1\r\na\r\n',
]

it('is the same at a glance, however much of the command is there', () => {
  const near: Span = { start: 0, end: 0 }
  const far: Span = { start: 0, end: 0 }
  for (const text of commands)
    for (let length = 1; length <= text.length; length++) {
      // It is between others.
      const bytes = bytesOf(`\r\n${text.slice(0, length)}*2\r\n$3\r\nSET`)
      const from = 2
      const to = from + length
      const found = locateVerb(bytes, from, to, near)
      expect(found, JSON.stringify(text.slice(0, length))).toBe(locate(bytes, from, to, 0, far))
      if (!found) continue
      expect(near).toEqual(far)
      expect(far.end).toBeLessThanOrEqual(to)
      if (bytes[from] !== 0x2a || bytes[far.start - 2] !== 0x0d) continue
      expect(locateNext(bytes, near.end, to, near)).toBe(locate(bytes, from, to, 1, far))
      expect(near).toEqual(far)
    }
})
