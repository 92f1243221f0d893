import { expect, test } from 'vitest'
import { hexDump, readPayload } from './payload.ts'

test('JSON is laid out; what only begins like it stays text', () => {
  expect(readPayload('{"a":[1]}', undefined)).toEqual({ kind: 'json', text: '{\n  "a": [\n    1\n  ]\n}' })
  expect(readPayload('{"a":[1', undefined)).toEqual({ kind: 'text', text: '{"a":[1' })
  expect(readPayload('42', undefined)).toEqual({ kind: 'text', text: '42' })
})

test('base64 becomes a hex dump', () => {
  expect(readPayload(btoa('GIF89a\x00\xff'), 'base64')).toEqual({
    kind: 'binary',
    text: `000000  47 49 46 38 39 61 00 ff${' '.repeat(26)}GIF89a..`,
  })
})

test('a long dump ends with a note of what is left out', () => {
  const lines = hexDump(new Uint8Array(5000)).split('\n')
  expect(lines).toHaveLength(257)
  expect(lines.at(-1)).toBe('… 904 more bytes')
})
