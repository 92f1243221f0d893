import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

/** Name, version, suite, JA3 and JA3S as tshark 4.0 shows them. */
const EXPECTED: Readonly<Record<string, readonly unknown[]>> = {
  'tls-sample1.pcap': [
    'www.elastic.co',
    'TLS 1.2',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'b20b44b18b853ef29ab773e921b03422',
    '860fcf58fd757e26aa8911e5eaff6b53',
  ],
  'tls-sample2.pcap': [
    'example.net',
    'TLS 1.2',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'e6573e91e6eb777c0933c5b8f97f10cd',
    'ae53107a2e47ea20c72ac44821a728bf',
  ],
  'tls-version-13.pcap': [
    'play.google.com',
    'TLS 1.3',
    'TLS_AES_128_GCM_SHA256',
    'd470a3fa301d80227bc5650c75567d25',
    '2b0648ab686ee45e0e7c35fcfb0eea7e',
  ],
  'http2-16-ssl.pcap': [
    'localhost',
    'TLS 1.2',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'ba7a226ea102737ecfa8959f26b28b95',
    '957ca065469c0e8ba08f0b2d0244f092',
  ],
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives its handshake', (name, expected) => {
    const { calls, faults } = observe(captureFixture(new URL(name, folder)).events)
    expect(faults).toEqual([])
    const tls = calls.filter(({ proto }) => proto === 'tls').map((call) => call.tls)
    expect(tls).toEqual([expect.any(Object)])
    const [seen] = tls
    const shown = ['sni', 'version', 'cipher_suite', 'ja3', 'ja3s'].map((key) =>
      Reflect.get(Object(seen), key),
    )
    expect(shown).toEqual(expected)
  })
})
