import { expect, test } from 'vitest'
import { actionKinds, draftAction } from './draft-action.ts'

test('every kind of action is complete with its example, and not without', () => {
  for (const { kind, example = '' } of actionKinds) {
    expect(draftAction(kind, example)).toMatchObject({ action: { kind } })
    if (kind !== 'log') expect(draftAction(kind, '  ')).toEqual({ problem: 'Complete the action.' })
  }
  expect(draftAction('webhook', 'ftp://x')).toEqual({
    problem: 'A webhook goes to an http or https address.',
  })
})
