import { expect, test } from 'vitest'
import { preconditions } from './preconditions.ts'

const asked = (headers: Record<string, string>) => preconditions(new Headers(headers), '"now"')

test('whoever has the same already is sent nothing', () => {
  for (const tags of ['"now"', 'W/"now"', '"then", "now"', '*']) {
    const answer = asked({ 'if-none-match': tags })
    expect([answer?.status, answer?.headers.get('etag')], tags).toEqual([304, '"now"'])
  }
})

test('whoever has another, or nothing, is sent it', () => {
  expect(asked({})).toBeUndefined()
  for (const tags of ['"then"', 'now', '"no"', '']) expect(asked({ 'if-none-match': tags })).toBeUndefined()
})

test('what has changed is refused to whoever asks for the one before', () => {
  for (const tags of ['"now"', '"then", "now"', '*']) expect(asked({ 'if-match': tags })).toBeUndefined()
  for (const tags of ['"then"', 'W/"now"'])
    expect(() => asked({ 'if-match': tags })).toThrow(expect.objectContaining({ status: 412 }))
})
