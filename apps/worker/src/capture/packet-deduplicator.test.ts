import { ethernet, ipv4, tcpFrame, udpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { PacketDeduplicator } from './packet-deduplicator.ts'

const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 4000, dport: 53 }
const query = udpFrame({ ...ends, payload: 'what is my name?' })

function seen(
  deduplicator: PacketDeduplicator,
  bytes: Uint8Array,
  interfaceIndex: number,
  micros: number,
): boolean {
  new Uint8Array(memory.buffer, FRAME, bytes.length).set(bytes)
  return deduplicator.has(FRAME, FRAME + bytes.length, true, interfaceIndex, micros)
}

const memory = new WebAssembly.Memory({ initial: 4 })
const FRAME = PacketDeduplicator.bytes + 8

function fresh(): PacketDeduplicator {
  new Uint8Array(memory.buffer).fill(0)
  return new PacketDeduplicator(memory, 0)
}

/** The packet as the next router forwards it. */
function forwarded(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice()
  copy.fill(0xaa, 0, 12)
  copy[22]!--
  copy[24]! ^= 0xff
  return copy
}

test('a packet on another interface is a duplicate, also after a router', () => {
  const deduplicator = fresh()
  expect(seen(deduplicator, query, 1, 0)).toBe(false)
  expect(seen(deduplicator, query, 2, 5)).toBe(true)
  expect(seen(deduplicator, forwarded(query), 3, 9)).toBe(true)
  expect(seen(deduplicator, query, 4, 19_999)).toBe(true)
  expect(seen(deduplicator, query, 5, 20_000)).toBe(false)
})

test('on the same interface it is a retransmission, which has its own duplicate', () => {
  const deduplicator = fresh()
  expect([1, 2, 1, 2].map((index, at) => seen(deduplicator, query, index, at * 100))).toEqual([
    false,
    true,
    false,
    true,
  ])
})

test('later, or after address translation, it is another packet', () => {
  const deduplicator = fresh()
  expect(seen(deduplicator, query, 1, 0)).toBe(false)
  expect(seen(deduplicator, udpFrame({ ...ends, dst: '10.9.9.9', payload: 'what is my name?' }), 2, 1)).toBe(
    false,
  )
  expect(seen(deduplicator, query, 2, 50_000)).toBe(false)
})

test('TCP packets differ by their sequence numbers, others by their first bytes', () => {
  const deduplicator = fresh()
  const segment = (seq: number) => tcpFrame({ ...ends, seq, payload: 'x' })
  const all = [segment(1), segment(2), segment(65_537), query]
  expect(all.map((bytes) => seen(deduplicator, bytes, 1, 0))).toEqual([false, false, false, false])
  expect(seen(deduplicator, udpFrame({ ...ends, payload: 'what is my mail?' }), 2, 0)).toBe(false)
})

test('a VLAN tag does not change the identity of a packet', () => {
  const deduplicator = fresh()
  const inner = ipv4('10.0.0.1', '10.0.0.2', 6, new Uint8Array(20).fill(7))
  expect(seen(deduplicator, ethernet(0x0800, inner), 1, 0)).toBe(false)
  expect(seen(deduplicator, ethernet(0x0800, inner, [5]), 2, 0)).toBe(true)
})

test('a packet that is not IP, or is truncated, is never a duplicate', () => {
  const deduplicator = fresh()
  for (const bytes of [ethernet(0x0806, new Uint8Array(28)), query.subarray(0, 36), new Uint8Array(3)])
    for (const index of [1, 2]) expect(seen(deduplicator, bytes, index, 0)).toBe(false)
})
