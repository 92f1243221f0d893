import { expect, test } from 'vitest'
import { whyMissing } from './missing-message.ts'

test('the reasons for a missing message are shown; other errors are not reasons', () => {
  expect(
    ['no_response', 'malformed_response', 'gap', 'midstream', 'truncated', 'unfinished'].map(whyMissing),
  ).toEqual([
    'no response',
    'malformed response',
    'gap',
    'midstream',
    'truncated',
    'the observation ended before the response',
  ])
  expect(['refused', 'Port Unreachable', '503 Service Unavailable', undefined].map(whyMissing)).toEqual(
    Array.from({ length: 4 }),
  )
})
