import { describe, expect, it } from 'vitest'
import { seeded } from '../../conformance/replay.ts'
import { probe } from './probe.ts'

const hello = Uint8Array.of(22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 9, 9, 9)
const ask = (bytes: Uint8Array, side: 0 | 1) => probe(bytes, 0, bytes.length, side)

describe('the probe', () => {
  it('knows a hello by its side', () => {
    expect(ask(hello, 0)).toBe('yes')
    expect(ask(hello, 1)).toBe('no')
    const answer = hello.slice()
    answer[5] = 2
    expect([ask(answer, 0), ask(answer, 1)]).toEqual(['no', 'yes'])
  })

  it('waits for what is still open', () => {
    for (let end = 1; end < 11; end++) expect(probe(hello, 0, end, 0)).toBe('more')
  })

  it('refuses what only begins like one', () => {
    for (const [at, value] of [
      [0, 25],
      [1, 2],
      [2, 9],
      [3, 0xff],
      [5, 11],
      [6, 1],
      [9, 7],
    ]) {
      const other = hello.slice()
      other[at] = value
      expect(ask(other, 0)).toBe('no')
    }
  })

  it('does not claim noise', () => {
    const random = seeded(1)
    let claimed = 0
    for (let i = 0; i < 20_000; i++) {
      const noise = Uint8Array.from({ length: 24 }, () => Math.floor(random() * 256))
      if (ask(noise, 0) !== 'no' || ask(noise, 1) !== 'no') claimed++
    }
    expect(claimed).toBe(0)
  })
})
