import { expect, test } from 'vitest'
import { windowName } from './window-name.ts'

test('the name says when the window begins, and is a name of a snapshot', () => {
  const name = windowName('window', new Date(2026, 10, 8, 1, 2, 3).getTime())
  expect(name).toBe('window-1108-010203')
  expect(name).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/)
})
