import { expect, it } from 'vitest'
import { MessageRate } from './message-rate.ts'

it('accepts a burst, reports the first refusal, and accepts again after a while', () => {
  const rate = new MessageRate(0)
  const burst = Array.from({ length: 22 }, () => rate.take(0))
  expect(burst.slice(0, 20).every((answer) => answer === 'accept')).toBe(true)
  expect(burst.slice(20)).toEqual(['report', 'refuse'])
  expect(rate.take(1000)).toBe('accept')
})

it('closes a session that does not stop', () => {
  const rate = new MessageRate(0)
  const answers = Array.from({ length: 300 }, () => rate.take(0))
  expect(answers.at(-1)).toBe('close')
  expect(answers.filter((answer) => answer === 'report')).toHaveLength(1)
})

it('does not count refusals that are long ago', () => {
  const rate = new MessageRate(0)
  const answers: string[] = []
  for (let second = 0; second < 1000; second++)
    for (let message = 0; message < 6; message++) answers.push(rate.take(second * 1000))
  expect(answers).not.toContain('close')
})
