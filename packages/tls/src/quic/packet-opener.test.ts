import { describe, expect, it } from 'vitest'
import { cipherSpec } from '../cipher-spec.ts'
import { PacketOpener } from './packet-opener.ts'
import { QuicCipher } from './quic-cipher.ts'

const hex = (text: string) => Buffer.from(text, 'hex')

describe('packets of QUIC', () => {
  it('have the header mask and the content of RFC 9001 §A.5, with ChaCha20', () => {
    const secret = hex('9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b')
    const cipher = new QuicCipher(cipherSpec('TLS_CHACHA20_POLY1305_SHA256')!, 'quic', secret)
    expect(Buffer.from(cipher.mask(hex('5e5cd55c41f69080575d7999c25a5bfb'))).toString('hex')).toBe(
      'aefefe7d03',
    )
    expect(cipher.open(hex('4200bff4'), 654_360_564, hex('655e5cd55c41f69080575d7999c25a5bfb'))).toEqual(
      hex('01'),
    )
    expect(
      cipher.open(hex('4200bff4'), 654_360_565, hex('655e5cd55c41f69080575d7999c25a5bfb')),
    ).toBeUndefined()
  })

  it('are too short to have a sample, and are refused', () => {
    const opener = new PacketOpener(
      new QuicCipher(cipherSpec('TLS_AES_256_GCM_SHA384')!, 'quic', new Uint8Array(48)),
    )
    for (let end = 1; end < 21; end++)
      expect(opener.open(new Uint8Array(32), { start: 0, number: 1, end })).toBeUndefined()
  })
})
