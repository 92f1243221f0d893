import { describe, expect, it } from 'vitest'
import { Budget } from '../../memory/budget.ts'
import { aConnection } from '../../sql/testing-connection.ts'
import { latin1 } from '../../text/text.ts'
import { PacketStream } from './packet-stream.ts'
import { joined, packet } from './testing-packets.ts'

describe('packets out of compressed ones', () => {
  it('are the same wherever they were cut', () => {
    const whole = joined(packet(0, 'first'), packet(1), packet(2, 'the second'), packet(3, 'x'))
    for (let size = 1; size <= whole.length; size++) {
      const budget = new Budget(10_000, {})
      const stream = new PacketStream(aConnection({ budget }))
      const seen: string[] = []
      for (let at = 0; at < whole.length; at += size)
        stream.push(whole.slice(at, at + size), 1, 2, ({ bytes, start, end, length }) => {
          expect(length).toBe(end - start)
          seen.push(latin1(bytes, start + 4, end))
        })
      expect(seen).toEqual(['first', '', 'the second', 'x'])
      expect(budget.used).toBe(0)
    }
  })

  it('are kept up to the size of a frame, and the next is found all the same', () => {
    const whole = joined(packet(0, 'x'.repeat(500)), packet(1, 'next'))
    const stream = new PacketStream(aConnection({ frame: 100 }))
    const seen: unknown[] = []
    for (let at = 0; at < whole.length; at += 30)
      stream.push(whole.slice(at, at + 30), 1, 2, ({ start, end, length }) =>
        seen.push([end - start, length]),
      )
    expect(seen).toEqual([
      [100, 504],
      [8, 8],
    ])
  })
})
