import { expect, test } from 'vitest'
import { preconditions } from './preconditions.ts'

const asked = (headers: Record<string, string>) => preconditions(new Headers(headers), '"now"')

test('a client that has the same version gets no body', () => {
  for (const tags of ['"now"', 'W/"now"', '"then", "now"', '*']) {
    const answer = asked({ 'if-none-match': tags })
    expect([answer?.status, answer?.headers.get('etag')], tags).toEqual([304, '"now"'])
  }
})

test('a client that has another version, or none, gets the body', () => {
  expect(asked({})).toBeUndefined()
  for (const tags of ['"then"', 'now', '"no"', '']) expect(asked({ 'if-none-match': tags })).toBeUndefined()
})

test('a changed capture is refused to a client that wants the previous one', () => {
  for (const tags of ['"now"', '"then", "now"', '*']) expect(asked({ 'if-match': tags })).toBeUndefined()
  for (const tags of ['"then"', 'W/"now"'])
    expect(() => asked({ 'if-match': tags })).toThrow(expect.objectContaining({ status: 412 }))
})
