import { initialCredit } from '@tapdeck/api'
import { expect, test } from 'vitest'
import { Credit } from './credit.ts'

const never = new AbortController().signal

test('sending waits when the credit is used up, and resumes when more is granted', async () => {
  const credit = new Credit()
  await credit.take(initialCredit, never)
  let sent = false
  const next = credit.take(10, never).then(() => {
    sent = true
  })
  credit.grant(9)
  await Promise.resolve()
  expect(sent).toBe(false)
  credit.grant(1)
  await next
  expect(sent).toBe(true)
})

test('waiting for credit rejects on abort', async () => {
  const credit = new Credit()
  const abort = new AbortController()
  const waiting = credit.take(initialCredit + 1, abort.signal)
  abort.abort()
  await expect(waiting).rejects.toThrow()
})
