import { expect, test } from 'vitest'
import { keepTime } from '../commands/recorder.ts'
import { parseAdmission } from './admission.ts'
import { defaultImage } from './default-image.ts'

const admission = {
  ...{ name: 'pod:shop:web-1', url: 'https://tapdeck.tools.svc:8897', ca: null, credential: 'tpw_x.1.y' },
  ...{ values: { tap: {} }, expires_at: '2026-01-01T00:00:00.000Z' },
}

test('a recorder reads what the hub returned, and says what is wrong with anything else', () => {
  expect(parseAdmission(JSON.stringify(admission))).toEqual(admission)
  expect(() => parseAdmission('')).toThrow('no JSON')
  expect(() => parseAdmission('{"name":"x"}')).toThrow(/^url: /)
  expect(() => parseAdmission(JSON.stringify({ ...admission, credential: 7 }))).toThrow(/^credential: /)
})

test('a recorder ends after a time that a timer can wait, or with 0 never', () => {
  expect(keepTime('10m')).toBe(600_000)
  expect(keepTime('0')).toBe(0)
  for (const wrong of ['', '-5m', 'soon', '25d']) expect(() => keepTime(wrong), wrong).toThrow('--keep')
})

test('a build without public names knows no image', () => {
  expect(defaultImage('registry.example/tapdeck')).toMatch(/^registry\.example\/tapdeck:\d+\.\d+\.\d+/)
  expect(defaultImage('')).toBeUndefined()
  expect(defaultImage(undefined)).toBeUndefined()
})
