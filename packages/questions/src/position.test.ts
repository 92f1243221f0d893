import { describe, expect, it } from 'vitest'
import { BadCursor } from './bad-cursor.ts'
import { comparePositions, fromCursor, toCursor } from './position.ts'

describe('a cursor', () => {
  const position = { ts: 1_767_225_600_000_000 + 0.25, flow: 2 ** 53 - 1, ordinal: 4_294_967_295 }

  it('carries any position there and back', () => {
    expect(fromCursor(toCursor(position, 'q'), 'q')).toEqual(position)
  })

  it('is safe in an address', () => {
    expect(toCursor(position, 'q')).toMatch(/^[\w-]+$/)
  })

  it('is good for one query only', () => {
    expect(() => fromCursor(toCursor(position, 'q'), 'r')).toThrow(BadCursor)
  })

  it('is not just any text', () => {
    for (const text of ['', 'AAAA', 'ä', toCursor(position, 'q').slice(0, -1), `${toCursor(position, 'q')}=`])
      expect(() => fromCursor(text, 'q')).toThrow(BadCursor)
    expect(() => fromCursor(toCursor({ ...position, ts: Number.NaN }, 'q'), 'q')).toThrow(BadCursor)
  })
})

it('orders positions by time, then flow, then ordinal', () => {
  const at = (ts: number, flow: number, ordinal: number) => ({ ts, flow, ordinal })
  const sorted = [at(1, 9, 9), at(2, 1, 5), at(2, 3, 0), at(2, 3, 1)]
  expect(sorted.toReversed().sort(comparePositions)).toEqual(sorted)
})
