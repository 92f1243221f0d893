import { expect, test } from 'vitest'
import { HubProblem } from './hub-problem.ts'

test('a problem says its detail, else its title, else its status', () => {
  expect(new HubProblem(409, { title: 'Conflict', detail: 'the name is taken' }).message).toBe(
    'the name is taken',
  )
  expect(new HubProblem(409, { title: 'Conflict' }).message).toBe('Conflict')
  expect(new HubProblem(502, {}).message).toBe('The hub answered with status 502.')
})

test('a hint may be a sentence or close names', () => {
  expect(new HubProblem(404, { hint: ['shop-1', 'shop-2'] }).hint).toBe('shop-1, shop-2')
  expect(new HubProblem(404, { hint: 'try later' }).hint).toBe('try later')
  expect(new HubProblem(404, { hint: [] }).hint).toBeUndefined()
})
