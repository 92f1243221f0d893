import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonBytes } from '../json/json-bytes.ts'
import { PlainHead } from './plain-head.ts'

const head = new PlainHead()

/** The JSON of each field if its line is cached; otherwise undefined. */
function known(text: string): (string | undefined)[] | undefined {
  if (!head.read(Buffer.from(text))) return undefined
  return Array.from({ length: head.count }, (_, field) => {
    const out = new JsonBytes(256)
    return head.write(field, out) ? new TextDecoder().decode(out.written) : undefined
  })
}

test('a cached line is written as before', () => {
  const text = 'GET / HTTP/1.1\r\nX-Once: "a\\b" \r\nx-two:2\r\n\r\n'
  expect(known(text)).toEqual([undefined, undefined])
  expect(known(text)).toEqual([undefined, undefined])
  expect(known(text)).toEqual([',"x-once":"\\"a\\\\b\\""', ',"x-two":"2"'])
})

test('lines in the same cache slot are not confused', () => {
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

test('bytes of an earlier head are not read as part of a shorter one', () => {
  known('GET / HTTP/1.1\r\nLonger: yes\r\nHost: here\r\n\r\n')
  expect(known('GET / HTTP/1.1\r\nA: b')).toHaveLength(1)
  expect(known('GET / HTTP/1.1\r\nA: b\r')).toBeUndefined()
  expect(known('GET')).toEqual([])
  expect(head.lineEnd).toBe(3)
})
