import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { IndexingMemory } from './indexing-memory.ts'
import { MemoryGuard } from './memory-guard.ts'

const FULL = { usedBytes: 95, limitBytes: 100 }
let use: typeof FULL | undefined
let isIndexing: boolean
let memory: IndexingMemory

beforeEach(() => {
  use = undefined
  isIndexing = false
  memory = new IndexingMemory({
    isIndexing: () => isIndexing,
    switchIndexing: async (enabled) => {
      isIndexing = enabled
    },
    log: pino({ level: 'silent' }),
    guard: new MemoryGuard(() => use),
  })
})

test('pauses indexing while memory is short, and resumes it afterwards', async () => {
  isIndexing = memory.allows(true)
  use = FULL
  await memory.check()
  expect(isIndexing).toBe(false)
  expect(memory.reason).toContain('Indexing is paused')
  use = undefined
  await memory.check()
  expect(isIndexing).toBe(true)
  expect(memory.reason).toBeUndefined()
})

test('indexing that is asked for while memory is short begins at a later check', async () => {
  use = FULL
  await memory.check()
  expect(memory.allows(true)).toBe(false)
  use = undefined
  await memory.check()
  expect(isIndexing).toBe(true)
})

test('does not resume what was switched off meanwhile', async () => {
  isIndexing = memory.allows(true)
  use = FULL
  await memory.check()
  expect(memory.allows(false)).toBe(true)
  use = undefined
  await memory.check()
  expect(isIndexing).toBe(false)
})

test('a failed switch is tried again at the next check', async () => {
  let attempts = 0
  const failing = new IndexingMemory({
    isIndexing: () => false,
    switchIndexing: async () => {
      attempts++
      throw new Error('the live thread has ended')
    },
    log: pino({ level: 'silent' }),
    guard: new MemoryGuard(() => undefined),
  })
  failing.allows(true)
  await failing.check()
  await failing.check()
  expect(attempts).toBe(2)
})
