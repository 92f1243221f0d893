import { expect, test } from 'vitest'
import { plainLook, readListLook } from './list-look.ts'

test('what was stored is read back', () => {
  const look = { ...plainLook, grouping: 'trace', rules: [{ kfl: 'has(error)', color: 'red' }] }
  expect(readListLook(JSON.parse(JSON.stringify(look)))).toEqual(look)
})

test('what is no look of a list is left out', () => {
  expect(readListLook(null)).toBeUndefined()
  expect(
    readListLook({
      columns: 7,
      grouping: 'moon',
      rules: [{ kfl: '', color: 'red' }, 3, { kfl: 'a', color: 'x' }],
    }),
  ).toEqual(plainLook)
})
