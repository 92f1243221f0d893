import { describe, expect, it } from 'vitest'
import type { ClientHello } from './client-hello.ts'
import { ja3, ja4 } from './fingerprint.ts'

const numbers = (list: string) => list.split(',').map((code) => Number.parseInt(code, 16))

/** The client that JA4's own description takes for an example, here in an order of its own and with GREASE. */
const hello: ClientHello = {
  legacyVersion: 0x0303,
  versions: [0x7a7a, 0x0304, 0x0303],
  cipherSuites: numbers('8a8a,1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035'),
  extensions: numbers('1a1a,001b,0000,0033,0010,4469,0017,002d,000d,0005,0023,0012,002b,ff01,000b,000a,0015'),
  groups: [0x2a2a, 29, 23, 24],
  pointFormats: [0],
  signatureAlgorithms: numbers('0403,0804,0401,0503,0805,0501,0806,0601'),
  keyShares: [29],
  alpn: ['h2', 'http/1.1'],
  sni: 'example.com',
  earlyData: false,
  encryptedHello: false,
}

describe('JA4', () => {
  it('is what its description says', () => {
    expect(ja4(hello, 't')).toBe('t13d1516h2_8daaf6152771_e5627efa2ab1')
  })

  it('does not depend on the order of extensions and suites', () => {
    const shuffled = {
      ...hello,
      extensions: hello.extensions.toReversed(),
      cipherSuites: hello.cipherSuites.toReversed(),
    }
    expect(ja4(shuffled, 't')).toBe(ja4(hello, 't'))
  })

  it('tells transport, missing name and missing protocol', () => {
    const bare = { ...hello, extensions: [0x002b], alpn: [], signatureAlgorithms: [] }
    expect(ja4(bare, 'q')).toMatch(/^q13i150100_8daaf6152771_[0-9a-f]{12}$/)
    expect(ja4({ ...bare, cipherSuites: [] }, 't')).toContain('_000000000000_')
  })

  it('writes a protocol that is no text by its bytes', () => {
    expect(ja4({ ...hello, alpn: ['\xab\xcd'] }, 't')).toContain('1516ad_')
  })
})

describe('JA3', () => {
  it('leaves GREASE out', () => {
    const plain = {
      ...hello,
      cipherSuites: hello.cipherSuites.slice(1),
      extensions: hello.extensions.slice(1),
      groups: hello.groups.slice(1),
    }
    expect(ja3(hello)).toBe(ja3(plain))
    expect(ja3(plain)).not.toBe(ja3({ ...plain, groups: [29] }))
  })
})
