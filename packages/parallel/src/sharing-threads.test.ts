import { expect, test } from 'vitest'
import { MOST_THREADS } from './crew.ts'
import { sharingThreads } from './sharing-threads.ts'

test('flows are shared where there are cores enough, and one is left for the rest', () => {
  expect([1, 2, 3, 4, 8, 1000].map(sharingThreads)).toEqual([1, 1, 1, 3, 7, MOST_THREADS])
})
