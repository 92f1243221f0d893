import { expect, test } from 'vitest'
import { RepeatedFault } from './repeated-fault.ts'

test('a fault is reported when it begins, then once a minute with its count, and anew after it was over', () => {
  let now = 0
  const reported: string[] = []
  const fault = new RepeatedFault(
    (what) => reported.push(what),
    () => now,
  )
  for (let second = 0; second < 125; second++) {
    now = second * 1000
    fault.failed('no disk', new Error('full'))
  }
  expect(reported).toEqual([
    'no disk',
    'no disk (60 times since the last report)',
    'no disk (60 times since the last report)',
  ])
  fault.recovered()
  fault.failed('no disk', new Error('full'))
  expect(reported.slice(3)).toEqual(['no disk'])
})
