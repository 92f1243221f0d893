import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Packet } from '../packet.ts'
import { parseAddress } from '../parse-address.ts'
import { concat } from '../testing/packet-builder.ts'
import { ALIVE, ENDING, FlowTable, OVER } from './flow-table.ts'

function packet(src: string, dst: string): Packet {
  const made = new Packet()
  made.show(concat(parseAddress(src), parseAddress(dst)))
  made.v6 = src.includes(':')
  made.src = 0
  made.dst = made.v6 ? 16 : 4
  return made
}

test('finds a flow from either end, and knows which end sent', () => {
  const table = new FlowTable<string>()
  for (const [a, b] of [
    ['10.0.0.1', '10.0.0.2'],
    ['2001:db8::1', '2001:db8::2'],
    ['200.0.0.1', '100.0.0.1'],
  ] as const) {
    expect(table.find(packet(a, b), 80, 4000)).toBe(-1)
    const high = table.fromHigh
    const index = table.add(a, 0)
    expect(table.find(packet(a, b), 80, 4000)).toBe(index)
    expect(table.fromHigh).toBe(high)
    expect(table.find(packet(b, a), 4000, 80)).toBe(index)
    expect(table.fromHigh).toBe(!high)
    expect(table.find(packet(b, a), 80, 4000)).toBe(-1)
    expect(table.find(packet(a, a), 80, 4000)).toBe(-1)
  }
})

test('tells the ends of one host by their ports', () => {
  const table = new FlowTable<string>()
  table.find(packet('127.0.0.1', '127.0.0.1'), 5000, 80)
  const index = table.add('flow', 0)
  const high = table.fromHigh
  expect(table.find(packet('127.0.0.1', '127.0.0.1'), 80, 5000)).toBe(index)
  expect(table.fromHigh).toBe(!high)
})

test('keeps IPv4 and IPv6 addresses with the same bytes apart', () => {
  const table = new FlowTable<string>()
  table.find(packet('0.0.0.0', '0.0.0.1'), 1, 1)
  table.add('four', 0)
  expect(table.find(packet('::', '::1'), 1, 1)).toBe(-1)
})

test('holds what a map holds, through any additions and removals', () => {
  const operation = fc.record({ host: fc.nat(40), port: fc.nat(40), remove: fc.boolean(), v6: fc.boolean() })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 1500, size: 'max' }), (operations) => {
      const table = new FlowTable<string>()
      const model = new Map<string, number>()
      for (const { host, port, remove, v6 } of operations) {
        const name = v6 ? `fd00::${host}` : `10.0.0.${host}`
        const key = `${name} ${port}`
        const index = table.find(packet(name, v6 ? 'fd00::ffff' : '9.9.9.9'), port, 53)
        if (index !== (model.get(key) ?? -1)) throw new Error(`${key} is at ${index}`)
        if (remove && index >= 0) {
          table.remove(index)
          model.delete(key)
        } else if (index < 0) model.set(key, table.add(key, 0))
      }
      expect(table.size).toBe(model.size)
      for (const [key, index] of model) expect(table.get(index)).toBe(key)
    }),
    { numRuns: 10 },
  )
})

test('grows past its first capacity and loses nothing', () => {
  const table = new FlowTable<number>()
  const indexes: number[] = []
  for (let port = 0; port < 5000; port++) {
    table.find(packet('10.0.0.1', '10.0.0.2'), port, 80)
    indexes.push(table.add(port, port))
  }
  for (let port = 0; port < 5000; port++)
    expect(table.get(table.find(packet('10.0.0.2', '10.0.0.1'), 80, port))).toBe(port)
  expect(new Set(indexes).size).toBe(5000)
})

test('keeps its queues in the order of the last touch', () => {
  const table = new FlowTable<number>()
  const indexes = [0, 1, 2, 3].map((port) => {
    table.find(packet('10.0.0.1', '10.0.0.2'), port, 80)
    return table.add(port, port * 1e6)
  })
  table.touch(indexes[0], 9e6)
  expect(table.oldest(ALIVE)).toBe(indexes[1])
  table.move(indexes[1], ENDING, 9e6)
  table.release(indexes[2], 9e6, 11, 22)
  expect([table.oldest(ALIVE), table.oldest(ENDING), table.oldest(OVER)]).toEqual([
    indexes[3],
    indexes[1],
    indexes[2],
  ])
  expect(table.get(indexes[2])).toBeUndefined()
  expect([table.mark(indexes[2], false), table.mark(indexes[2], true)]).toEqual([11, 22])
  table.remove(indexes[3])
  expect(table.oldest(ALIVE)).toBe(indexes[0])
  table.remove(indexes[0])
  expect(table.oldest(ALIVE)).toBe(-1)
})
