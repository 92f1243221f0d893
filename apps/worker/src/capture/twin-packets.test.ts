import { ethernet, ipv4, tcpFrame, udpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { TwinPackets } from './twin-packets.ts'

const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 4000, dport: 53 }
const query = udpFrame({ ...ends, payload: 'what is my name?' })

function seen(twins: TwinPackets, bytes: Uint8Array, interfaceIndex: number, micros: number): boolean {
  new Uint8Array(memory.buffer, FRAME, bytes.length).set(bytes)
  return twins.has(FRAME, FRAME + bytes.length, true, interfaceIndex, micros)
}

const memory = new WebAssembly.Memory({ initial: 4 })
const FRAME = TwinPackets.bytes + 8

function fresh(): TwinPackets {
  new Uint8Array(memory.buffer).fill(0)
  return new TwinPackets(memory, 0)
}

/** As the next router sends it on. */
function forwarded(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice()
  copy.fill(0xaa, 0, 12)
  copy[22]!--
  copy[24]! ^= 0xff
  return copy
}

test('a packet on the next interface is a twin, also after a router', () => {
  const twins = fresh()
  expect(seen(twins, query, 1, 0)).toBe(false)
  expect(seen(twins, query, 2, 5)).toBe(true)
  expect(seen(twins, forwarded(query), 3, 9)).toBe(true)
  expect(seen(twins, query, 4, 19_999)).toBe(true)
  expect(seen(twins, query, 5, 20_000)).toBe(false)
})

test('on the same interface it is sent again, and its twin is the twin of that one', () => {
  const twins = fresh()
  expect([1, 2, 1, 2].map((index, at) => seen(twins, query, index, at * 100))).toEqual([
    false,
    true,
    false,
    true,
  ])
})

test('much later, or translated on the way, it is another packet', () => {
  const twins = fresh()
  expect(seen(twins, query, 1, 0)).toBe(false)
  expect(seen(twins, udpFrame({ ...ends, dst: '10.9.9.9', payload: 'what is my name?' }), 2, 1)).toBe(false)
  expect(seen(twins, query, 2, 50_000)).toBe(false)
})

test('packets of one connection are told apart by their numbers, others by their first bytes', () => {
  const twins = fresh()
  const segment = (seq: number) => tcpFrame({ ...ends, seq, payload: 'x' })
  const all = [segment(1), segment(2), segment(65_537), query]
  expect(all.map((bytes) => seen(twins, bytes, 1, 0))).toEqual([false, false, false, false])
  expect(seen(twins, udpFrame({ ...ends, payload: 'what is my mail?' }), 2, 0)).toBe(false)
})

test('a tag of a VLAN makes no other packet of it', () => {
  const twins = fresh()
  const inner = ipv4('10.0.0.1', '10.0.0.2', 6, new Uint8Array(20).fill(7))
  expect(seen(twins, ethernet(0x0800, inner), 1, 0)).toBe(false)
  expect(seen(twins, ethernet(0x0800, inner, [5]), 2, 0)).toBe(true)
})

test('what is no IP packet, or cut short, is never a twin', () => {
  const twins = fresh()
  for (const bytes of [ethernet(0x0806, new Uint8Array(28)), query.subarray(0, 36), new Uint8Array(3)])
    for (const index of [1, 2]) expect(seen(twins, bytes, index, 0)).toBe(false)
})
