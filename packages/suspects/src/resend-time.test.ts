import { expect, it } from 'vitest'
import { resendTime } from './resend-time.ts'

it('a request is sent again after 200 ms, and after twice as long each further time', () => {
  expect([0, 1, 2, 3].map(resendTime)).toEqual([0, 200, 600, 1400])
})
