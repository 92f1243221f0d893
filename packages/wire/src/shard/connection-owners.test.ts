import { expect, test } from 'vitest'
import { ETHER } from '../ether-type.ts'
import { openIPv4 } from '../ip/ipv4.ts'
import { openIPv6 } from '../ip/ipv6.ts'
import { openLink } from '../link/open-link.ts'
import { Packet } from '../packet.ts'
import { tcpFrame } from '../testing/index.ts'
import { ConnectionOwners } from './connection-owners.ts'

interface Ends {
  readonly src: string
  readonly dst: string
  readonly sport: number
  readonly dport: number
}

function ownerOf(ends: Ends, count: number, hasPorts = true): number {
  const data = tcpFrame(ends)
  const packet = new Packet()
  packet.begin(data, 0, data.length, data.length, 0)
  const isOpen = openLink(packet, 1) === ETHER.ipv4 ? openIPv4(packet) : openIPv6(packet)
  expect(isOpen).toBe(true)
  return new ConnectionOwners(count).ownerOf(packet, hasPorts)
}

const many = <T>(length: number, make: (number: number) => T) =>
  Array.from({ length }, (_, number) => make(number))

test.each<[string, Ends[]]>([
  [
    'one client with neighbouring ports',
    many(200, (number) => ({ src: '10.0.0.1', dst: '10.0.0.2', sport: 40_000 + number, dport: 80 })),
  ],
  [
    'one client with every other port',
    many(200, (number) => ({ src: '10.0.0.1', dst: '10.0.0.2', sport: 40_000 + 2 * number, dport: 80 })),
  ],
  [
    'neighbouring clients with one port',
    many(250, (number) => ({ src: `10.0.1.${number}`, dst: '10.9.0.1', sport: 500, dport: 500 })),
  ],
  [
    'clients and servers of two networks',
    many(256, (number) => ({
      ...{ src: `10.1.0.${number % 16}`, dst: `10.2.${number >> 4}.7`, sport: 40_000 + number, dport: 5432 },
    })),
  ],
  [
    'clients of the newer protocol',
    many(300, (number) => ({
      src: `fd00::${number.toString(16)}`,
      dst: 'fd00:1::9',
      sport: 40_000,
      dport: 80,
    })),
  ],
])('%s are shared evenly', (_name, flows) => {
  for (const count of [2, 3, 4, 8]) {
    const owned = new Array<number>(count).fill(0)
    for (const flow of flows) owned[ownerOf(flow, count)]++
    expect(Math.max(...owned)).toBeLessThan((flows.length / count) * 1.35)
  }
})

test('a connection has one owner before and after the address of its server is translated', () => {
  for (const [src, service, server] of [
    ['10.244.3.4', '10.96.189.245', '10.244.2.3'],
    ['fd44:3::4', 'fd96::bd', 'fd44:2::3'],
  ] as const)
    for (let port = 0; port < 100; port++) {
      const ends = { src, sport: 32_768 + port }
      const before = ownerOf({ ...ends, dst: service, dport: 80 }, 5)
      expect(ownerOf({ ...ends, dst: server, dport: 8080 }, 5)).toBe(before)
    }
})

test('both directions of a flow have one owner, with ports and without', () => {
  for (const [src, dst] of [
    ['10.0.0.1', '10.200.3.4'],
    ['fd00::1', 'fd00:9::77:1'],
  ] as const)
    for (let port = 1; port < 100; port++) {
      const there = { src, dst, sport: 32_768 + port, dport: port }
      const back = { src: dst, dst: src, sport: port, dport: 32_768 + port }
      for (const hasPorts of [true, false])
        expect(ownerOf(there, 5, hasPorts)).toBe(ownerOf(back, 5, hasPorts))
    }
})
