import { expect, test } from 'vitest'
import { whyMissing } from './missing-message.ts'

test('the reasons for a missing message are shown; other errors are not reasons', () => {
  expect(
    ['no_response', 'malformed_response', 'gap', 'midstream', 'truncated', 'unfinished'].map((error) =>
      whyMissing({ error }),
    ),
  ).toEqual([
    'no response',
    'malformed response',
    'gap',
    'midstream',
    'truncated',
    'the observation ended before the response',
  ])
  expect(
    ['refused', 'Port Unreachable', '503 Service Unavailable', undefined].map((error) =>
      whyMissing({ error }),
    ),
  ).toEqual(Array.from({ length: 4 }))
  expect(whyMissing({ error: 'no_response', connection_end: 'reset_by_server' })).toBe(
    'no response: the server reset the connection (RST)',
  )
})
