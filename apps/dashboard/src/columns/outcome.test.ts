import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'

test('a failure is whatever the call says is one, not a number above 399', () => {
  expect(outcomeOf({ proto: 'http', status: 503, error: 'http_5xx' })).toEqual({ text: '503', kind: 'bad' })
  expect(outcomeOf({ proto: 'dns', status: 'NXDOMAIN', error: 'NXDOMAIN' })).toEqual({
    text: 'NXDOMAIN',
    kind: 'bad',
  })
  expect(outcomeOf({ proto: 'kafka', status: 404 }).kind).toBe('good')
})

test('without a status the error speaks; without both nothing does', () => {
  expect(outcomeOf({ proto: 'http', error: 'no_response' })).toEqual({ text: 'no response', kind: 'bad' })
  expect(outcomeOf({ proto: 'http', error: 'unfinished' })).toEqual({ text: 'unfinished', kind: 'unknown' })
  expect(outcomeOf({ proto: 'tcp' })).toEqual({ text: '', kind: 'unknown' })
})

test('redirects and upgrades are neither good nor bad', () => {
  expect(outcomeOf({ proto: 'http', status: 304 }).kind).toBe('moved')
  expect(outcomeOf({ proto: 'http', status: 101 }).kind).toBe('moved')
  expect(outcomeOf({ proto: 'http', status: 204 }).kind).toBe('good')
})
