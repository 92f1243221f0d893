import { expect, it } from 'vitest'
import { errorTemplate, isClientError } from './error-kind.ts'

it('a status is a kind of error, whatever its reason; numbers in a message are not', () => {
  expect(errorTemplate('404 Reason')).not.toBe(errorTemplate('500 Reason'))
  expect(errorTemplate('key 7 of "a"')).toBe(errorTemplate('key 12 of "b"'))
})

it('the request was wrong: not where the server had no time, or refused for its load', () => {
  const wrong = [
    '404 Not Found',
    'HTTP 401',
    'NXDOMAIN',
    'NOT_FOUND',
    'ERROR: duplicate key value violates unique constraint',
  ]
  expect(wrong.filter((error) => !isClientError(error))).toEqual([])
  const serious = [
    '500 Internal Server Error',
    '408 Request Timeout',
    '429 Too Many Requests',
    'ERROR: deadlock detected',
    'SERVFAIL',
  ]
  expect(serious.filter(isClientError)).toEqual([])
})
