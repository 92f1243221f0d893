import { expect, it } from 'vitest'
import { saidIn } from './suspect-texts.ts'

it('reads what a server says is wrong from a member of JSON, nested or not, or from a line of text', () => {
  expect(saidIn('{"error":"deadlock detected","retry":true}')).toBe('deadlock detected')
  expect(saidIn('{"error":{"code":7,"message":"no such tenant"}}')).toBe('no such tenant')
  expect(saidIn('"gone"')).toBe('gone')
  expect(saidIn('session store unavailable\nat line 7')).toBe('session store unavailable')
  expect(saidIn(`{"message":"${'x'.repeat(500)}"}`)).toHaveLength(120)
})

it('reads nothing from pages, from JSON that was cut off, and from JSON that says nothing', () => {
  expect(saidIn('<html><body>502</body></html>')).toBeUndefined()
  expect(saidIn('{"error":"dead')).toBeUndefined()
  expect(saidIn('{"ok":false}')).toBeUndefined()
  expect(saidIn('')).toBeUndefined()
})
