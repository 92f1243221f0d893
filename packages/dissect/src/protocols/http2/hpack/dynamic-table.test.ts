import { expect, it } from 'vitest'
import { DynamicTable } from './dynamic-table.ts'
import { LineText } from './line-text.ts'

/** RFC 7541 section 4.1: an entry counts 32 octets more than its name and its value. */
const OVERHEAD = 32
const INITIAL_LIMIT = 4096
const source = new LineText(8192)

function table(...sizes: readonly number[]): DynamicTable {
  const made = new DynamicTable({ take: () => true, give: () => undefined })
  for (const size of sizes) add(made, size)
  return made
}

function add(to: DynamicTable, size: number): void {
  to.insert(source, 0, 1, size - OVERHEAD - 1, 0, 0)
}

it('keeps entries that fill it to the last octet, and evicts the oldest for one octet more', () => {
  expect(table(1000, INITIAL_LIMIT - 1000).count).toBe(2)
  expect(table(1000, INITIAL_LIMIT - 999).count).toBe(1)
  expect(table(40, 1000, INITIAL_LIMIT - 1000).count).toBe(2)
})

it('takes an entry of exactly its size alone, and is emptied by a larger one', () => {
  expect(table(100, INITIAL_LIMIT).count).toBe(1)
  expect(table(100, INITIAL_LIMIT + 1).count).toBe(0)
})

it('evicts no more than a smaller limit demands', () => {
  const made = table(100, 200, 300)
  made.resize(500)
  expect(made.count).toBe(2)
  made.resize(499)
  expect([made.count, made.find(0), made.valueLength]).toEqual([1, true, 300 - OVERHEAD - 1])
})
