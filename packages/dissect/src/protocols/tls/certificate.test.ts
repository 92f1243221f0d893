import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../conformance/replay.ts'
import { readCertificate } from './certificate.ts'

/** Made for this test: a P-256 key, a name beyond ASCII, and one alternative name of each kind. */
const der = new Uint8Array(
  Buffer.from(
    `
  MIICJzCCAc2gAwIBAgIUV3ZD7btg0Idi/O1VGXCPXXc8PQAwCgYIKoZIzj0EAwIw
  NjELMAkGA1UEBhMCREUxDzANBgNVBAoMBkvDvGNoZTEWMBQGA1UEAwwNYXBpLnNo
  b3AudGVzdDAeFw0yNjExMTUwNjI5MTdaFw00NjExMTAwNjI5MTdaMDYxCzAJBgNV
  BAYTAkRFMQ8wDQYDVQQKDAZLw7xjaGUxFjAUBgNVBAMMDWFwaS5zaG9wLnRlc3Qw
  WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ2j/Y6/a6XT1ueDj6UlHAX5n7I6e7q
  3bJw57s7vfqJbo7N8lwbv8oOQUS/37QiQR84oNklmrCRwHUFfi2taItho4G4MIG1
  MB0GA1UdDgQWBBTYKD5wfUdgcXLBUUpn/2+HQI5ziTAfBgNVHSMEGDAWgBTYKD5w
  fUdgcXLBUUpn/2+HQI5ziTAPBgNVHRMBAf8EBTADAQH/MGIGA1UdEQRbMFmCDWFw
  aS5zaG9wLnRlc3SHBAoBAgOHEP0AAAAAAAAAAAAAAAAAAAeGIXNwaWZmZTovL3No
  b3AudGVzdC9ucy9zaG9wL3NhL2FwaYENb3BzQHNob3AudGVzdDAKBggqhkjOPQQD
  AgNIADBFAiBWjI9AqiKEFEEuYna6toigdKuA18rkytj+GwE68yg0sgIhAKntc5fe
  GGKrBFJq8TPKDgR97sS3NHPsppPqOF7ZDunC`,
    'base64',
  ),
)

describe('a certificate', () => {
  it('escapes what would end a part of a name (RFC 4514)', () => {
    const named = der.slice()
    const bytes = Buffer.from(named.buffer)
    for (let at = bytes.indexOf('Küche'); at >= 0; at = bytes.indexOf('Küche')) bytes.write('A, B+C', at)
    expect(readCertificate(named)?.subject).toBe('C=DE,O=A\\, B\\+C,CN=api.shop.test')
  })

  it('is read as others read it', () => {
    const known = new X509Certificate(der)
    const read = readCertificate(der)
    expect(read).toMatchObject({
      subject: 'C=DE,O=Küche,CN=api.shop.test',
      issuer: 'C=DE,O=Küche,CN=api.shop.test',
      sans: ['api.shop.test', '10.1.2.3', 'fd00::7', 'spiffe://shop.test/ns/shop/sa/api', 'ops@shop.test'],
      key: 'EC P-256',
      signature: 'SHA-256 with ECDSA',
      self_signed: true,
    })
    expect(read?.serial.toUpperCase()).toBe(known.serialNumber)
    expect(Date.parse(read?.not_before ?? '')).toBe(Date.parse(known.validFrom))
    expect(Date.parse(read?.not_after ?? '')).toBe(Date.parse(known.validTo))
    expect(read?.fingerprint_sha256.toUpperCase()).toBe(known.fingerprint256.replaceAll(':', ''))
  })

  it('that is cut anywhere is none', () => {
    for (let end = 0; end < der.length; end++) expect(readCertificate(der.subarray(0, end))).toBeUndefined()
  })

  it('that is damaged is read or refused, and never more than that', () => {
    const random = seeded(7)
    for (let trial = 0; trial < 5000; trial++) {
      const damaged = der.slice()
      for (let i = 0; i < 3; i++) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256)
      expect(() => readCertificate(damaged)).not.toThrow()
    }
  })
})
