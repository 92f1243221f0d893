import { expect, it } from 'vitest'
import { hasMasked } from './has-masked.ts'

it('finds the hash of a credential wherever a message shows it', () => {
  expect(hasMasked({ headers: { authorization: 'Bearer masked-0123456789ab' } })).toBe(true)
  expect(hasMasked({ headers: { 'set-cookie': ['a=masked-0123456789ab; Path=/'] } })).toBe(true)
  expect(hasMasked({ headers: { 'x-api-key': 'masked' } })).toBe(true)
  expect(hasMasked({ headers: { accept: 'masked-ball' }, body: 'text' })).toBe(false)
  expect(hasMasked(undefined)).toBe(false)
})
