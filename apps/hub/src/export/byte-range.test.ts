import { expect, it } from 'vitest'
import { byteRange, bytesOf, within } from './byte-range.ts'

const asked = (range: string, more: Record<string, string> = {}) =>
  byteRange(new Headers({ range, ...more }), '"tag"')

it('a range has a beginning, an end, or both', () => {
  expect(asked('bytes=5-')).toEqual({ first: 5 })
  expect(asked('bytes=5-9')).toEqual({ first: 5, last: 9 })
  expect(asked('bytes=-9')).toEqual({ lastBytes: 9 })
  expect(asked('bytes=5-', { 'if-range': '"tag"' })).toEqual({ first: 5 })
})

it('anything else means the whole', () => {
  for (const range of [
    'bytes=-',
    'bytes=9-5',
    'bytes=0-1,3-4',
    'items=1-2',
    'bytes=a-b',
    `bytes=${'9'.repeat(20)}-`,
  ])
    expect(asked(range), range).toBeUndefined()
  expect(asked('bytes=5-', { 'if-range': '"other"' })).toBeUndefined()
})

it('only what there is can be had', () => {
  expect(within({ first: 5 }, 10)).toEqual({ first: 5, end: 10 })
  expect(within({ first: 0, last: 3 }, 10)).toEqual({ first: 0, end: 4 })
  expect(within({ first: 5, last: 99 }, 10)).toEqual({ first: 5, end: 10 })
  expect(within({ lastBytes: 3 }, 10)).toEqual({ first: 7, end: 10 })
  expect(within({ lastBytes: 99 }, 10)).toEqual({ first: 0, end: 10 })
  for (const none of [{ first: 10 }, { first: 12, last: 13 }, { lastBytes: 0 }])
    expect(within(none, 10)).toBeUndefined()
})

it('bytes are cut out of pieces, and no piece is made after the last', async () => {
  const all = Buffer.from('abcdefghij')
  for (const size of [1, 3, 10])
    for (let first = 0; first < 10; first++)
      for (let end = first + 1; end <= 10; end++) {
        let made = 0
        const pieces = (async function* () {
          for (let at = 0; at < 10; at += size) {
            made++
            yield all.subarray(at, at + size)
          }
        })()
        const found: Uint8Array[] = []
        for await (const piece of bytesOf(pieces, first, end)) found.push(piece)
        expect(Buffer.concat(found).toString()).toBe('abcdefghij'.slice(first, end))
        expect(made).toBe(Math.ceil(end / size))
      }
})
