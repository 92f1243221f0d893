import { describe, expect, it } from 'vitest'
import { Budget } from '../memory/budget.ts'
import { PlacedMessage } from '../message/placed-message.ts'
import { KeptRows } from './kept-rows.ts'
import { aConnection } from './testing-connection.ts'

const bytes = (length: number, value: number) => new Uint8Array(length).fill(value)

function taken(rows: KeptRows): Uint8Array | undefined {
  const message = new PlacedMessage('response')
  rows.moveTo(message)
  return message.body
}

describe('kept rows', () => {
  it('equal what was appended, in any split', () => {
    for (const sizes of [[10], [10, 20, 30], [3000, 3000], [5000], [10, 60_000], [4096, 1]]) {
      const budget = new Budget(1_000_000, {})
      const rows = new KeptRows(aConnection({ budget }))
      for (const [index, size] of sizes.entries()) rows.append(bytes(size, index), 0, size, size)
      expect(rows.size).toBe(sizes.reduce((sum, size) => sum + size, 0))
      expect(taken(rows)).toEqual(Uint8Array.from(sizes.flatMap((size, index) => [...bytes(size, index)])))
      expect(budget.used).toBe(0)
    }
  })

  it('stay separate from those of another connection that come in between', () => {
    const connection = aConnection({})
    const first = new KeptRows(connection)
    const second = new KeptRows(connection)
    for (let i = 0; i < 3; i++) {
      first.append(bytes(5, 1), 0, 5, 5)
      second.append(bytes(7, 2), 0, 7, 7)
    }
    expect(taken(first)).toEqual(bytes(15, 1))
    expect(taken(second)).toEqual(bytes(21, 2))
  })

  it('that are adjacent are copied together, before the bytes change', () => {
    let copies = 0
    const connection = aConnection({})
    const { arena } = connection
    const rows = new KeptRows({
      ...connection,
      arena: {
        place: (...range) => {
          copies++
          return arena.place(...range)
        },
        get placed() {
          return arena.placed
        },
      },
    })
    const source = Uint8Array.from({ length: 40 }, (_, index) => index)
    for (let at = 5; at < 35; at += 5) rows.append(source, at, at + 5, 5)
    expect(rows.size).toBe(30)
    rows.settle()
    expect(copies).toBe(1)
    const kept = source.slice(5, 35)
    source.fill(255)
    rows.append(source, 35, 40, 5)
    expect(taken(rows)).toEqual(Uint8Array.of(...kept, ...source.subarray(35)))
  })

  it('end at the limit, and at the first missing byte', () => {
    const rows = new KeptRows(aConnection({ body: 100 }))
    rows.append(bytes(60, 1), 0, 60, 60)
    expect(rows.room).toBe(40)
    rows.append(bytes(60, 1), 0, 60, 60)
    expect(rows.size).toBe(120)
    expect(taken(rows)?.length).toBe(100)
    const holed = new KeptRows(aConnection({ body: 100 }))
    holed.append(bytes(10, 1), 0, 10, 20)
    holed.append(bytes(10, 1), 0, 10, 10)
    expect(holed.size).toBe(30)
    expect(taken(holed)?.length).toBe(10)
  })
})
