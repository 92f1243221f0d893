import { be16, be32, bytes, concat } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { done, message, query, segment, string } from './message-builder.ts'
import { OPCODE } from './opcode.ts'
import { probe, resync } from './probe.ts'

const asked = (said: Uint8Array, side: 0 | 1) => probe(said, 0, said.length, side)

describe('probe', () => {
  it('knows who says what', () => {
    expect(asked(query(1, 'SELECT 1'), 0)).toBe('yes')
    expect(asked(query(1, 'SELECT 1'), 1)).toBe('no')
    expect(asked(done(1), 1)).toBe('yes')
    expect(asked(done(1), 0)).toBe('no')
    expect(asked(segment(query(1, 'SELECT 1', 5)), 0)).toBe('yes')
    expect(asked(segment(query(1, 'SELECT 1', 5)), 1)).toBe('no')
  })

  it('says more until the body tells, and then does not change its mind', () => {
    for (const said of [query(1, 'SELECT 1'), segment(query(1, 'SELECT 1', 5))]) {
      const verdicts = Array.from(said, (_, end) => probe(said, 0, end, 0))
      expect(verdicts.lastIndexOf('more')).toBeLessThan(verdicts.indexOf('yes'))
      expect(verdicts).not.toContain('no')
    }
  })

  it.each([
    ['a version that is none', message(0, OPCODE.OPTIONS, 0, new Uint8Array(0), 2)],
    ['an opcode that is none', message(0, 4, 0, new Uint8Array(0))],
    ['OPTIONS with a body', message(0, OPCODE.OPTIONS, 0, be32(0))],
    ['a statement that is no text', message(0, OPCODE.QUERY, 0, concat(be32(2), be32(0), be32(0)))],
    ['a statement longer than its message', message(0, OPCODE.QUERY, 0, concat(be32(99), bytes('SELECT')))],
    ['an event sent by a client', message(0, OPCODE.EVENT, 0xffff, string('STATUS_CHANGE'))],
    ['an id of another length', message(0, OPCODE.EXECUTE, 0, concat(be16(15), new Uint8Array(30)))],
  ])('refuses %s', (_, said) => {
    expect(asked(said, 0)).toBe('no')
  })
})

describe('resync', () => {
  it('finds the next message, or the next segment', () => {
    const junk = Uint8Array.from({ length: 50 }, (_, i) => (i * 37) & 255)
    for (const said of [query(1, 'SELECT 1'), segment(query(1, 'SELECT 1', 5))]) {
      const all = concat(junk, said)
      expect(resync(all, 0, all.length, 0)).toBe(50)
    }
    expect(resync(junk, 0, junk.length, 0)).toBe(-1)
  })
})
