import { Conversation } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { RecentConnections } from './recent-connections.ts'

const ETHERNET = 1

/** The first packet of a connection, with some of its bytes changed. */
function packet(client: string, changes: Readonly<Record<number, number>> = {}): Uint8Array {
  const data = new Conversation({ client }).handshake().packets[0]!.data.slice()
  for (const [at, byte] of Object.entries(changes)) data[Number(at)] = byte
  return data
}

function seen(recent: RecentConnections, data: Uint8Array, link = ETHERNET, end = data.length): boolean {
  const known = recent.has(data, 0, end, link)
  recent.add()
  return known
}

test('a packet is known by its addresses and ports, wherever it stands', () => {
  const recent = new RecentConnections()
  const one = packet('10.1.0.1')
  expect(seen(recent, one)).toBe(false)
  expect(seen(recent, one)).toBe(true)
  const among = new Uint8Array([...packet('10.1.0.9'), ...one, 1, 2, 3])
  expect(recent.has(among, one.length, 2 * one.length, ETHERNET)).toBe(true)
  for (let at = 26; at < 38; at++)
    expect(seen(recent, packet('10.1.0.1', { [at]: one[at]! ^ 1 }))).toBe(false)
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
  const recent = new RecentConnections()
  const plain = packet('10.1.0.1')
  seen(recent, plain)
  const odd = packet('10.1.0.1', changes)
  expect([seen(recent, odd), seen(recent, odd)]).toEqual([false, false])
  expect(seen(recent, plain)).toBe(true)
})

test('so have other link types, and packets that end before their ports', () => {
  const recent = new RecentConnections()
  const plain = packet('10.1.0.1')
  seen(recent, plain)
  expect(seen(recent, plain, 101)).toBe(false)
  expect(seen(recent, plain, ETHERNET, 37)).toBe(false)
  expect(seen(recent, plain, ETHERNET, 38)).toBe(true)
})

test('of many more than it has room for, those that it says it knows were recent', () => {
  const recent = new RecentConnections()
  const packets = Array.from({ length: 30_000 }, (_, i) => {
    const data = packet('10.1.0.1')
    data[26] = i >> 8
    data[27] = i & 255
    return data
  })
  for (const data of packets) expect(seen(recent, data)).toBe(false)
  const known = packets.filter((data) => recent.has(data, 0, data.length, ETHERNET)).length
  expect(known).toBeGreaterThan(4000)
  expect(known).toBeLessThanOrEqual(8192)
})
