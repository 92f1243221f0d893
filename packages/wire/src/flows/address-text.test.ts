import { describe, expect, it } from 'vitest'
import { AddressText } from './address-text.ts'

const V4 = new Uint8Array([10, 0, 0, 1, 10, 0, 0, 2])
const V6 = new Uint8Array(16).fill(0, 0, 15).fill(1, 15)

describe('ends of servers', () => {
  it('are the same for all who ask for the same', () => {
    const texts = new AddressText()
    const first = texts.server(V4, 0, false, 53)
    expect(first).toEqual({ ip: '10.0.0.1', port: 53 })
    expect(texts.server(V4, 0, false, 53)).toBe(first)
  })

  it('are distinguished by address, port and family, also in the same cell', () => {
    const texts = new AddressText()
    for (let round = 0; round < 2; round++) {
      for (let port = 53; port < 65_536; port += 512)
        for (const at of [0, 4])
          expect(texts.server(V4, at, false, port)).toEqual({ ip: `10.0.0.${at / 4 + 1}`, port })
      expect(texts.server(V6, 0, true, 53)).toEqual({ ip: '::1', port: 53 })
    }
  })
})
