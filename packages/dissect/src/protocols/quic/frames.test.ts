import { Malformed } from '@tapdeck/wire'
import { trials } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { Budget } from '../../memory/budget.ts'
import { ConnectionStreams } from './connection-streams.ts'
import { CryptoStream } from './crypto-stream.ts'
import { readFrames } from './frames.ts'

/** The longest number: 2^62 - 1. */
const LARGEST = new Array(8).fill(0xff)

test('any bytes as frames are read or refused, and leave no memory behind', () => {
  let seed = 2026
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return (seed >> 8) % below
  }
  const part = () => {
    const kind = random(8)
    if (kind === 0) return LARGEST
    // Types and small numbers are likelier than any other bytes, so that whole frames come about.
    return Array.from({ length: 1 + random(6) }, () => (kind < 5 ? random(0x20) : random(256)))
  }
  const budget = new Budget(8 * 1024, {})
  let [whole, refused, delivered] = [0, 0, 0]
  for (let round = trials(20_000, 400); round > 0; round--) {
    const streams = new ConnectionStreams(
      { data: () => delivered++, gap: () => {}, finish: () => {} },
      budget,
    )
    const crypto = new CryptoStream()
    for (let packets = 1 + random(16); packets > 0; packets--) {
      const side = random(2) === 0 ? 0 : 1
      try {
        readFrames(Uint8Array.from(Array.from({ length: random(12) }, part).flat()), {
          crypto: (offset, bytes, start, end) => crypto.add(offset, bytes, start, end),
          stream: (one) => streams.part(side, one, 1),
          reset: (id, error) => streams.reset(side, id, error, 1),
        })
        whole++
      } catch (error) {
        expect(error).toBeInstanceOf(Malformed)
        refused++
      }
    }
    expect(crypto.messages.length).toBeLessThanOrEqual(4096)
    streams.finish(1)
    expect(budget.used).toBe(0)
  }
  expect([whole > 100, refused > 100, delivered > 100]).toEqual([true, true, true])
})
