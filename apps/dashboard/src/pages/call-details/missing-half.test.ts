import { expect, test } from 'vitest'
import { whyMissing } from './missing-half.ts'

test('a half is missing for one of four reasons; what failed on its own lacks none', () => {
  expect(['no_response', 'gap', 'midstream', 'truncated'].map(whyMissing)).toEqual([
    'no response',
    'gap',
    'midstream',
    'truncated',
  ])
  expect(['refused', 'Port Unreachable', '503 Service Unavailable', undefined].map(whyMissing)).toEqual(
    Array.from({ length: 4 }),
  )
})
