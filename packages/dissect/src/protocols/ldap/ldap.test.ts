import { udpFrame } from '@tapdeck/wire/testing'
import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { ldap } from './index.ts'

const captures = new URL('./captures/', import.meta.url)

/** A search for the root entry by UDP, as clients of a domain ask for its controllers; entry and end in one datagram. */
const connectionless = builtFixture('connectionless', captures, [
  datagram(
    0,
    '302b02010163260400 0a0100 0a0100 020100 020100 010100 8708 6f626a656374436c 3007 0405 6e65744c6f',
  ),
  datagram(
    1,
    '3019 020101 6414 0400 3010 300e 0405 6e65744c6f 3105 0403 010203 300c 020101 6507 0a0100 0400 0400',
  ),
])

function datagram(side: 0 | 1, hex: string) {
  const payload = Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  const ends = [
    { ip: '10.0.0.1', port: 40000 },
    { ip: '10.0.0.2', port: 389 },
  ] as const
  const [from, to] = [ends[side], ends[1 - side]]
  return {
    time: 1_700_000_000_000_000 + side * 500,
    data: udpFrame({ src: from.ip, dst: to.ip, sport: from.port, dport: to.port, payload }),
  }
}

describe('ldap conforms', () => {
  for (const { name, run } of conformance(ldap, { captures, fixtures: [connectionless] })) it(name, run)
})
