import { be16, be32, concat, frame, ip } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'
import { diameter } from './index.ts'

const captures = new URL('./captures/', import.meta.url)
/** A Device-Watchdog and its answer, RFC 6733 §5.5, with an Origin-Host of eight letters. */
const ASK = '01000024 80000118 00000000 00000005 00000006 00000108 40000010 706565722e6f7267'
const ANSWER =
  '01000030 00000118 00000000 00000005 00000006 0000010c 4000000c 000007d1 00000108 40000010 706565722e6f7267'

const association = builtFixture('association', captures, [
  packet(0, 0, chunk(1, concat(be32(7), new Uint8Array(12)))),
  packet(1, 1, chunk(2, concat(be32(8), new Uint8Array(12)))),
  packet(0, 2, data(1, ASK)),
  packet(1, 3, data(1, ANSWER)),
])

function packet(side: 0 | 1, turn: number, chunks: Uint8Array) {
  const ips = ['10.0.0.1', '10.0.0.2']
  const ports = [40000, 3868]
  const header = concat(be16(ports[side]), be16(ports[1 - side]), be32(1), be32(0))
  return {
    time: 1_700_000_000_000_000 + turn * 100,
    data: frame(ip(ips[side], ips[1 - side], 132, concat(header, chunks))),
  }
}

function chunk(type: number, body: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(type, 3), be16(4 + body.length), body)
}

function data(tsn: number, hex: string): Uint8Array {
  return chunk(0, concat(be32(tsn), be16(0), be16(0), be32(46), fromHex(hex)))
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
}

describe('diameter conforms', () => {
  for (const { name, run } of conformance(diameter, { captures, fixtures: [association] })) it(name, run)
})

describe('diameter', () => {
  it('is read from the messages of an SCTP association', () => {
    const { calls } = observe(association.events)
    expect(calls.filter(({ proto }) => proto === 'diameter')).toMatchObject([
      { method: 'DWR', status: 'DIAMETER_SUCCESS', diameter: { origin_host: 'peer.org' } },
    ])
  })

  it('knows which side opens with its capabilities', () => {
    const hello = fromHex(ASK.replace('80000118', '80000101'))
    expect(diameter.probe(hello, 0, hello.length, 0)).toBe('yes')
    expect(diameter.probe(hello, 0, hello.length, 1)).toBe('no')
  })

  it('refuses pairs that do not fill their message', () => {
    const wrong = fromHex(ASK.replace('40000010', '40000014'))
    expect(diameter.probe(wrong, 0, wrong.length, 0)).toBe('no')
  })
})
