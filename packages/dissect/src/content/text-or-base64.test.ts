import { expect, test } from 'vitest'
import { textOrBase64 } from './text-or-base64.ts'

test('text is shown as text, other bytes as base64, nothing as nothing', () => {
  expect(textOrBase64(Buffer.from('grüße\n'))).toEqual({ body: 'grüße\n' })
  expect(textOrBase64(Uint8Array.of(0, 1, 2))).toEqual({ body: 'AAEC', body_encoding: 'base64' })
  expect(textOrBase64(Uint8Array.of(0xff))).toEqual({ body: '/w==', body_encoding: 'base64' })
  expect([textOrBase64(undefined), textOrBase64(new Uint8Array(0))]).toEqual([{}, {}])
})

test('a character that was cut is left out only of a truncated body', () => {
  const cut = Buffer.from('5 €').subarray(0, 4)
  expect(textOrBase64(cut, true)).toEqual({ body: '5 ' })
  expect(textOrBase64(cut)).toEqual({ body: cut.toString('base64'), body_encoding: 'base64' })
})
