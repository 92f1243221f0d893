import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { IndexingLimits } from './indexing-limits.ts'
import { MemoryGuard } from './memory-guard.ts'

const FULL = { usedBytes: 95, limitBytes: 100 }
let use: typeof FULL | undefined
let isIndexing: boolean
let limits: IndexingLimits
let codes: (string | undefined)[]

beforeEach(() => {
  use = undefined
  isIndexing = false
  codes = []
  limits = new IndexingLimits({
    isIndexing: () => isIndexing,
    switchIndexing: async (enabled, code) => {
      isIndexing = enabled
      codes.push(code)
    },
    log: pino({ level: 'silent' }),
    guards: [new MemoryGuard(() => use)],
  })
})

test('pauses indexing while memory is short, and resumes it afterwards', async () => {
  isIndexing = limits.allows(true)
  use = FULL
  await limits.check()
  expect(isIndexing).toBe(false)
  expect(limits.reason).toContain('Indexing is paused')
  use = undefined
  await limits.check()
  expect(isIndexing).toBe(true)
  expect(limits.reason).toBeUndefined()
  expect(codes).toEqual(['memory_limit', undefined])
})

test('resumes only when no limit is reached any more', async () => {
  const reasons: (string | undefined)[] = ['memory is short', 'processors are short']
  const guards = reasons.map((_, at) => ({
    code: `limit ${at}`,
    get reason() {
      return reasons[at]
    },
    mayIndex: () => reasons[at] === undefined,
  }))
  const both = new IndexingLimits({
    isIndexing: () => isIndexing,
    switchIndexing: async (enabled) => {
      isIndexing = enabled
    },
    log: pino({ level: 'silent' }),
    guards,
  })
  expect(both.allows(true)).toBe(false)
  for (const at of [0, 1]) {
    await both.check()
    expect(isIndexing).toBe(false)
    expect(both.reason).toBe(reasons[at])
    reasons[at] = undefined
  }
  await both.check()
  expect(isIndexing).toBe(true)
})

test('indexing that is asked for while memory is short begins at a later check', async () => {
  use = FULL
  await limits.check()
  expect(limits.allows(true)).toBe(false)
  use = undefined
  await limits.check()
  expect(isIndexing).toBe(true)
})

test('does not resume what was switched off meanwhile', async () => {
  isIndexing = limits.allows(true)
  use = FULL
  await limits.check()
  expect(limits.allows(false)).toBe(true)
  use = undefined
  await limits.check()
  expect(isIndexing).toBe(false)
})

test('a failed switch is tried again at the next check', async () => {
  let attempts = 0
  const failing = new IndexingLimits({
    isIndexing: () => false,
    switchIndexing: async () => {
      attempts++
      throw new Error('the live thread has ended')
    },
    log: pino({ level: 'silent' }),
    guards: [new MemoryGuard(() => undefined)],
  })
  failing.allows(true)
  await failing.check()
  await failing.check()
  expect(attempts).toBe(2)
})
