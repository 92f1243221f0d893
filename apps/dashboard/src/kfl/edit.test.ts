import { expect, test } from 'vitest'
import { complete, mend } from './edit.ts'

test('a completion replaces what was typed of it, and leaves room for the next word', () => {
  expect(complete('src.p', { from: 0, to: 5 }, { label: 'src.pod', kind: 'field' })).toEqual({
    text: 'src.pod ',
    caret: 8,
  })
  expect(
    complete('a == 1 and re == 2', { from: 11, to: 13 }, { label: 'request.path', kind: 'field' }),
  ).toEqual({
    text: 'a == 1 and request.path == 2',
    caret: 24,
  })
})

test('after an opening bracket the caret stays inside', () => {
  expect(complete('si', { from: 0, to: 2 }, { label: 'size(', kind: 'function' })).toEqual({
    text: 'size(',
    caret: 5,
  })
})

test('a suggestion takes the place of the wrong part', () => {
  expect(mend('src.pood == "a"', { position: 0, length: 8, suggestion: 'src.pod' })).toEqual({
    text: 'src.pod == "a"',
    caret: 7,
  })
  expect(mend('a == 1 and', { position: 10, length: 0, suggestion: ' b' }).text).toBe('a == 1 and b')
})
