import { expect, test } from 'vitest'
import { highlight } from './highlight.ts'

const marked = (filter: string, position: number, length: number) =>
  highlight(filter, { position, length })
    .map((piece) => (piece.wrong ? `[${piece.text}]` : piece.text))
    .join('')

test('the wrong part is marked and nothing else', () => {
  expect(marked('src.pood == "a"', 0, 8)).toBe('[src.pood] == "a"')
  expect(marked('a == 1 and bb == 2', 11, 2)).toBe('a == 1 and [bb] == 2')
})

test('a part may begin inside a piece and end in another', () => {
  expect(marked('abc == 1', 1, 4)).toBe('a[bc][ ][=]= 1')
})

test('what is missing at the end is marked after it', () => {
  expect(marked('a ==', 4, 0)).toBe('a ==[ ]')
  expect(marked('a ==', 99, 3)).toBe('a ==[ ]')
})

test('a right filter has no mark', () => {
  expect(highlight('a == 1', undefined).some((piece) => piece.wrong)).toBe(false)
})
