import { Conversation } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { ToldPorts } from './told-ports.ts'

const ETHERNET = 1

/** The first packet of a connection, with some of its bytes changed. */
function packet(client: string, changes: Readonly<Record<number, number>> = {}): Uint8Array {
  const data = new Conversation({ client }).handshake().packets[0]!.data.slice()
  for (const [at, byte] of Object.entries(changes)) data[Number(at)] = byte
  return data
}

function asked(told: ToldPorts, data: Uint8Array, link = ETHERNET, end = data.length): boolean {
  const known = told.has(data, 0, end, link)
  told.add()
  return known
}

test('a packet is known by its addresses and ports, wherever it stands', () => {
  const told = new ToldPorts()
  const one = packet('10.1.0.1')
  expect(asked(told, one)).toBe(false)
  expect(asked(told, one)).toBe(true)
  const among = new Uint8Array([...packet('10.1.0.9'), ...one, 1, 2, 3])
  expect(told.has(among, one.length, 2 * one.length, ETHERNET)).toBe(true)
  for (let at = 26; at < 38; at++) expect(asked(told, packet('10.1.0.1', { [at]: one[at]! ^ 1 }))).toBe(false)
})

test.each([
  ['a fragment that others follow', { 20: 0x20 }],
  ['a later fragment', { 21: 1 }],
  ['options before the ports', { 14: 0x46 }],
  ['UDP, which may be a tunnel', { 23: 17 }],
  ['IP within IP', { 23: 4 }],
  ['a VLAN', { 12: 0x81 }],
  ['IPv6', { 12: 0x86, 13: 0xdd }],
])('%s has to be opened each time', (_name, changes) => {
  const told = new ToldPorts()
  const plain = packet('10.1.0.1')
  asked(told, plain)
  const odd = packet('10.1.0.1', changes)
  expect([asked(told, odd), asked(told, odd)]).toEqual([false, false])
  expect(asked(told, plain)).toBe(true)
})

test('so have other link types, and packets that end before their ports', () => {
  const told = new ToldPorts()
  const plain = packet('10.1.0.1')
  asked(told, plain)
  expect(asked(told, plain, 101)).toBe(false)
  expect(asked(told, plain, ETHERNET, 37)).toBe(false)
  expect(asked(told, plain, ETHERNET, 38)).toBe(true)
})

test('of many more than it has room for, those that it says it knows were told', () => {
  const told = new ToldPorts()
  const packets = Array.from({ length: 30_000 }, (_, i) => {
    const data = packet('10.1.0.1')
    data[26] = i >> 8
    data[27] = i & 255
    return data
  })
  for (const data of packets) expect(asked(told, data)).toBe(false)
  const known = packets.filter((data) => told.has(data, 0, data.length, ETHERNET)).length
  expect(known).toBeGreaterThan(4000)
  expect(known).toBeLessThanOrEqual(8192)
})
