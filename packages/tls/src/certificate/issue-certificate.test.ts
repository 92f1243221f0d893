import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { der, objectId, positiveInteger, time } from './der.ts'
import { issueCertificate } from './issue-certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-certificate-'))
afterAll(() => rmSync(folder, { recursive: true }))
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const times = { notBefore: Date.UTC(2026, 0), notAfter: Date.UTC(2056, 0) }
const authority = { subject: 'authority 1', key: newKey() }
const authorityPem = issueCertificate({
  ...{ kind: 'authority', ...authority, ...times, serial: Buffer.from([0x7f, 1, 2]) },
})
const serverKey = newKey()
const server = (change: object = {}) =>
  issueCertificate({
    kind: 'server',
    subject: 'hub',
    key: serverKey,
    issuer: authority,
    serial: Buffer.from([0, 0x80, 3]),
    ...times,
    names: ['tapdeck.tapdeck.svc', 'localhost'],
    addresses: [Buffer.from([127, 0, 0, 1])],
    ...change,
  })

it('Node.js reads what a certificate says', () => {
  const ca = new X509Certificate(authorityPem)
  const leaf = new X509Certificate(server())
  expect(ca.ca).toBe(true)
  expect(leaf.ca).toBe(false)
  expect(leaf.checkIssued(ca)).toBe(true)
  expect(leaf.verify(ca.publicKey)).toBe(true)
  expect(leaf.checkPrivateKey(serverKey)).toBe(true)
  expect(leaf.subjectAltName).toBe('DNS:tapdeck.tapdeck.svc, DNS:localhost, IP Address:127.0.0.1')
  expect(leaf.serialNumber).toBe('8003')
  // One of a year in both forms of time.
  expect([leaf.validFrom, leaf.validTo]).toEqual(['Jan  1 00:00:00 2026 GMT', 'Jan  1 00:00:00 2056 GMT'])
})

it.runIf(hasOpenssl)('openssl accepts the chain by its strict rules, and refuses another authority', () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const verify = (ca: string, leaf: string) =>
    spawnSync('openssl', [
      ...['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'tapdeck.tapdeck.svc'],
      ...['-CAfile', file('ca.pem', ca), file('leaf.pem', leaf)],
    ]).status
  expect(verify(authorityPem, server())).toBe(0)
  const other = { subject: authority.subject, key: newKey() }
  const otherPem = issueCertificate({ kind: 'authority', ...other, ...times, serial: Buffer.from([5]) })
  expect(verify(otherPem, server())).not.toBe(0)
  // Both are trusted while one replaces the other, also if they have the same name.
  expect(verify(otherPem + authorityPem, server())).toBe(0)
  expect(verify(authorityPem, server({ names: ['other'] }))).not.toBe(0)
  // A server is no authority.
  const below = server({ issuer: { subject: 'hub', key: serverKey }, key: newKey(), subject: 'x' })
  expect(verify(authorityPem + server(), below)).not.toBe(0)
  const shown = execFileSync('openssl', ['x509', '-noout', '-text', '-in', file('a.pem', authorityPem)])
  expect(String(shown)).toContain('CA:TRUE, pathlen:0')
  expect(String(shown)).toContain('Certificate Sign, CRL Sign')
})

it('the encoding is that of X.690', () => {
  expect(objectId('1.2.840.113549').toString('hex')).toBe('06062a864886f70d')
  expect(der(4, Buffer.alloc(127)).subarray(0, 2).toString('hex')).toBe('047f')
  expect(der(4, Buffer.alloc(200)).subarray(0, 3).toString('hex')).toBe('0481c8')
  expect(der(4, Buffer.alloc(70_000)).subarray(0, 5).toString('hex')).toBe('0483011170')
  expect(positiveInteger(Buffer.from([0x80])).toString('hex')).toBe('02020080')
  expect(positiveInteger(Buffer.from([0, 0])).toString('hex')).toBe('020100')
  expect(String(time(Date.UTC(2049, 11, 31, 23, 59, 58, 900)).subarray(2))).toBe('491231235958Z')
  expect(String(time(Date.UTC(2050, 0)).subarray(2))).toBe('20500101000000Z')
})
