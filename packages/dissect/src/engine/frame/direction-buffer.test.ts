import { beforeEach, describe, expect, it } from 'vitest'
import { Budget } from '../../memory/budget.ts'
import { latin1 } from '../../text/text.ts'
import { DirectionBuffer } from './direction-buffer.ts'

const LIMIT = 10_000
let budget: Budget
let buffer: DirectionBuffer

beforeEach(() => {
  budget = new Budget(100_000, {})
  buffer = new DirectionBuffer()
})

function append(text: string, limit = LIMIT): number {
  const bytes = new TextEncoder().encode(`<${text}>`)
  return buffer.append(bytes, 1, bytes.length - 1, limit, budget)
}

const held = () => latin1(buffer.bytes, 0, buffer.held)

describe('a direction buffer', () => {
  it('appends bytes in order', () => {
    expect([append('abc'), append('de')]).toEqual([3, 2])
    expect(held()).toBe('abcde')
  })

  it('keeps its bytes when it grows', () => {
    const parts = Array.from({ length: 60 }, (_, i) => String(i).repeat(50))
    for (const part of parts) append(part)
    expect(held()).toBe(parts.join(''))
  })

  it('takes only what is below the limit', () => {
    append('abc', 5)
    expect([append('defg', 5), append('x', 5)]).toEqual([2, 0])
    expect(held()).toBe('abcde')
  })

  it('takes nothing that the budget refuses, and counts it', () => {
    const loss = {}
    budget = new Budget(1000, loss)
    expect(append('abc')).toBe(0)
    expect([buffer.held, budget.used, loss]).toEqual([0, 0, { buffer_overflow: 2048 }])
  })

  it('starts a frame with the bytes that it holds', () => {
    append('abc')
    buffer.begin(100, 50, 7)
    expect([buffer.length, buffer.keep, buffer.passed, buffer.time]).toEqual([100, 50, 3, 7])
    expect(held()).toBe('abc')
  })

  it('drops bytes that are not worth keeping', () => {
    append('abcdef')
    buffer.begin(6, 4, 7)
    expect(held()).toBe('abcd')
    expect(buffer.passed).toBe(6)
  })

  it('drops its first bytes', () => {
    append('abcdef')
    buffer.shift(4)
    expect(held()).toBe('ef')
  })

  it('releases its memory when it is cleared', () => {
    append('abc')
    expect(budget.used).toBeGreaterThanOrEqual(3)
    buffer.clear(budget)
    expect([budget.used, buffer.held, buffer.length, buffer.time]).toEqual([0, 0, 0, 0])
  })

  it('records a gap and whether the snap length caused it', () => {
    buffer.noteGap(5, true)
    expect(buffer.gapState).toMatchObject({ gapTime: 5, gapIsCut: true })
  })

  it('is idle while it has no state, and again after a reset', () => {
    const changes = [
      () => append('a'),
      () => (buffer.messageStart = 1),
      () => (buffer.sync = 'searching'),
      () => (buffer.finished = true),
      () => buffer.noteGap(1, false),
      () => buffer.ensureDetection(),
    ]
    for (const change of changes) {
      expect(buffer.isIdle).toBe(true)
      change()
      expect(buffer.isIdle).toBe(false)
      buffer.clear(budget)
      buffer.reset()
    }
    expect(buffer.isIdle).toBe(true)
  })
})
