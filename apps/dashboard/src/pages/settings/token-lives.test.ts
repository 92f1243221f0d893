import { expect, test } from 'vitest'
import { tokenLives } from './token-lives.ts'

const now = Date.parse('2026-03-01T00:00:00Z')

test('a caller whose token does not end is offered every length', () => {
  for (const end of [null, undefined])
    expect(tokenLives(end, now)).toEqual(['1d', '30d', '90d', '365d', 'never'])
})

test('nothing is offered that would outlive the own token', () => {
  expect(tokenLives('2026-05-30T00:00:00Z', now)).toEqual(['1d', '30d', '90d'])
  expect(tokenLives('2026-05-29T23:59:59Z', now)).toEqual(['1d', '30d'])
})

test('the shortest is left for the hub to refuse', () => {
  expect(tokenLives('2026-03-01T01:00:00Z', now)).toEqual(['1d'])
})
