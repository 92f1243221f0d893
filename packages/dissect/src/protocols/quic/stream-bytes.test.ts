import { expect, test } from 'vitest'
import { Budget } from '../../memory/budget.ts'
import { StreamBytes } from './stream-bytes.ts'

const BYTE = Uint8Array.of(1)

test('parts that wait are counted with what each takes beside its bytes, and released', () => {
  const budget = new Budget(1024 * 1024, {})
  const taken: boolean[] = []
  const stream = new StreamBytes(budget, (_, isLast, isAfterGap) => taken.push(isLast || isAfterGap))
  for (let offset = 200; offset > 0; offset -= 2)
    stream.add({ id: 0, offset, bytes: BYTE, start: 0, end: 1, isLast: false })
  expect(budget.used).toBeGreaterThan(100 * 128)
  stream.finish()
  expect([budget.used, taken.length]).toEqual([0, 100])
})

test('offsets beyond all that is exact neither loop nor hold memory', () => {
  const budget = new Budget(4096, {})
  let bytes = 0
  const stream = new StreamBytes(budget, (more) => {
    bytes += more.length
  })
  for (const offset of [2 ** 62 - 1, 2 ** 62 - 1, 2 ** 53, 2 ** 53 + 2, 2 ** 62 - 1, 0])
    stream.add({ id: 0, offset, bytes: BYTE, start: 0, end: 1, isLast: false })
  stream.finish()
  expect(budget.used).toBe(0)
  expect(bytes).toBeGreaterThanOrEqual(4)
})
