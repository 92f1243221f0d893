import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileKeys, OrderedCalls } from './ordered-calls.ts'
import { Spool } from './spool.ts'

interface Key {
  readonly start: number
  readonly flow: number
}
const key = fc.record({ start: fc.nat(40), flow: fc.nat(3) })
const batches = fc.array(fc.array(key, { minLength: 1, maxLength: 600 }), { maxLength: 30 })

/** CallBatch and row of each call, in order. */
function ordered(all: readonly (readonly Key[])[], spool: Spool): [number, number, number][] {
  const filed = all.map((calls) =>
    fileKeys(spool, {
      count: calls.length,
      starts: Float64Array.from(calls, ({ start }) => start),
      flows: Float64Array.from(calls, ({ flow }) => flow),
    }),
  )
  const order = new OrderedCalls(filed, spool)
  const seen: [number, number, number][] = []
  while (order.next()) seen.push([order.batch, order.row, order.start])
  expect(order.next()).toBe(false)
  spool.close()
  return seen
}

test.each([
  ['in memory', 1 << 30],
  ['in a file', 0],
])('calls of any batches come by time, then flow, and equal ones as they were given, %s', (_, ceiling) => {
  fc.assert(
    fc.property(batches, (all) => {
      const plain = all.flatMap((calls, batch) => calls.map((call, row) => ({ ...call, batch, row })))
      plain.sort((a, b) => a.start - b.start || a.flow - b.flow || a.batch - b.batch || a.row - b.row)
      expect(ordered(all, new Spool(ceiling))).toEqual(
        plain.map(({ batch, row, start }) => [batch, row, start]),
      )
    }),
    { numRuns: 60 },
  )
})

test('a batch is fetched by some hundred calls at once, though a thousand others are open beside it', () => {
  const spool = new Spool(0)
  let fetched = 0
  const open = spool.open.bind(spool)
  spool.open = (number) => {
    fetched++
    return open(number)
  }
  const all = Array.from({ length: 1000 }, (_, batch) =>
    Array.from({ length: 512 }, (_, at) => ({ start: at * 1000 + batch, flow: 1 })),
  )
  const seen = ordered(all, spool)
  expect(seen.every(([, , start], at) => at === 0 || start >= seen[at - 1]![2])).toBe(true)
  expect(fetched).toBe(2000)
})
