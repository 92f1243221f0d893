import { expect, test } from 'vitest'
import { readMapChoice, writeMapChoice } from './map-choice.ts'

test('what was written is read back', () => {
  const choice = {
    level: 'pod',
    focus: 'shop/cart & co',
    hidden: ['dns', 'tls'],
    onlyErrors: true,
    byNs: true,
    outside: true,
    compare: true,
    asTable: true,
  } as const
  expect(readMapChoice(writeMapChoice(choice))).toEqual(choice)
})

test('the map as it begins needs nothing in the address, and nonsense is left out', () => {
  const plain = readMapChoice('')
  expect(writeMapChoice(plain)).toBe('')
  expect(readMapChoice('level=galaxy&focus=')).toEqual(plain)
})
