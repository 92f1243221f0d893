import { udpFrame } from '@tapdeck/wire/testing'
import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { radius } from './index.ts'

const captures = new URL('./captures/', import.meta.url)
const ASK =
  '01070031 0f1e2d3c4b5a69788796a5b4c3d2e1f0 0105626f62 0212 00112233445566778899aabbccddeeff 0406 0a000001'
const ACCEPT = '02070014 101112131415161718191a1b1c1d1e1f'

/** A request that is sent three times before it is answered. */
const repeated = builtFixture('repeated', captures, [
  datagram(0, 0, ASK),
  datagram(0, 1, ASK),
  datagram(0, 2, ASK),
  datagram(1, 3, ACCEPT),
])

function datagram(side: 0 | 1, second: number, hex: string) {
  const payload = Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  const ends = [
    { ip: '10.0.0.1', port: 40000 },
    { ip: '10.0.0.2', port: 1812 },
  ] as const
  const [from, to] = [ends[side], ends[1 - side]]
  return {
    time: 1_700_000_000_000_000 + second * 1_000_000,
    data: udpFrame({ src: from.ip, dst: to.ip, sport: from.port, dport: to.port, payload }),
  }
}

describe('radius conforms', () => {
  for (const { name, run } of conformance(radius, { captures, fixtures: [repeated] })) it(name, run)
})
