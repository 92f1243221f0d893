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
      const head = bytesOf(text.slice(0, length))
      const found = locateVerb(head, near)
      expect(found, JSON.stringify(text.slice(0, length))).toBe(locate(head, 0, far))
      if (!found) continue
      expect(near).toEqual(far)
      if (head[0] !== 0x2a || head[far.start - 2] !== 0x0d) continue
      expect(locateNext(head, near.end, near)).toBe(locate(head, 1, far))
      expect(near).toEqual(far)
    }
})
