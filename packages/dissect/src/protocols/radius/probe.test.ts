import { describe, expect, it } from 'vitest'
import { HEADER } from './packet.ts'
import { probe } from './probe.ts'

const ASK = '01070019 0f1e2d3c4b5a69788796a5b4c3d2e1f0 0105626f62'

function ask(hex: string, side: 0 | 1) {
  const bytes = Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  return probe(bytes, 0, bytes.length, side)
}

describe('the probe of RADIUS', () => {
  it('knows a request, and who sends it', () => {
    expect([ask(ASK, 0), ask(ASK, 1)]).toEqual(['yes', 'no'])
  })

  it('wants the length to be that of the datagram', () => {
    expect(ask(ASK.replace('0019', '0018'), 0)).toBe('no')
    expect(ask(`${ASK}01`, 0)).toBe('no')
  })

  it('accepts zeros after the packet, which are padding', () => {
    expect(ask(`${ASK}000000`, 0)).toBe('yes')
  })

  const START = '0407002b 0f1e2d3c4b5a69788796a5b4c3d2e1f0 0105626f62 280600000001 2c0661626364 04060a000001'

  it('accepts a datagram that the capture cut after three known attributes', () => {
    const bytes = START.replaceAll(' ', '')
    for (let size = HEADER; size < 0x2b; size++)
      expect(ask(bytes.slice(0, size * 2), 0), `${size} bytes`).toBe(size < HEADER + 17 ? 'no' : 'yes')
  })

  it('accepts a blank authenticator before three known attributes', () => {
    const blank = (packet: string) => packet.replace('0f1e2d3c4b5a69788796a5b4c3d2e1f0', '0'.repeat(32))
    expect([ask(blank(START), 0), ask(blank(ASK), 0)]).toEqual(['yes', 'no'])
  })

  it('wants attributes that end where the packet ends', () => {
    expect(ask(ASK.replace('0105', '0104'), 0)).toBe('no')
    expect(ask(ASK.replace('0105', '0100'), 0)).toBe('no')
    expect(ask(ASK.replace('0105', '0109'), 0)).toBe('no')
  })

  it('knows no other codes', () => {
    expect(ask(ASK.replace('0107', '0607'), 0)).toBe('no')
  })
})
