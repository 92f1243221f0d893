import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonBytes } from '../json-bytes.ts'
import { PlainHead } from './plain-head.ts'

const head = new PlainHead()

/** Fields as they are written where their lines are known; undefined where they are not. */
function known(text: string): (string | undefined)[] | undefined {
  if (!head.read(Buffer.from(text))) return undefined
  return Array.from({ length: head.count }, (_, field) => {
    const out = new JsonBytes(256)
    return head.write(field, out) ? new TextDecoder().decode(out.written) : undefined
  })
}

test('a line that came before is written as it was then', () => {
  const text = 'GET / HTTP/1.1\r\nX-Once: "a\\b" \r\nx-two:2\r\n\r\n'
  expect(known(text)).toEqual([undefined, undefined])
  expect(known(text)).toEqual([undefined, undefined])
  expect(known(text)).toEqual([',"x-once":"\\"a\\\\b\\""', ',"x-two":"2"'])
})

test('lines that stand for each other in the memory of known ones are told apart', () => {
  const name = fc.integer({ min: 0, max: 300 }).map((number) => `h${'x'.repeat(number % 5)}-${number}`)
  const heads = fc.array(fc.uniqueArray(name, { maxLength: 40 }), { minLength: 20, maxLength: 60 })
  fc.assert(
    fc.property(heads, (all) => {
      for (const names of all) {
        const written = known(`GET / HTTP/1.1\r\n${names.map((one) => `${one}: of ${one}\r\n`).join('')}\r\n`)
        expect(written).toHaveLength(names.length)
        for (const [at, line] of written!.entries())
          if (line !== undefined) expect(line).toBe(`,"${names[at]}":"of ${names[at]}"`)
      }
    }),
    { numRuns: 30 },
  )
})

test('what stood there before is not read as a part of a shorter head', () => {
  known('GET / HTTP/1.1\r\nLonger: yes\r\nHost: here\r\n\r\n')
  expect(known('GET / HTTP/1.1\r\nA: b')).toHaveLength(1)
  expect(known('GET / HTTP/1.1\r\nA: b\r')).toBeUndefined()
  expect(known('GET')).toEqual([])
  expect(head.lineEnd).toBe(3)
})
