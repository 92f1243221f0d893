import { generateKeyPairSync } from 'node:crypto'
import { issueCertificate } from '../certificate/issue-certificate.ts'

/** A self-signed certificate for loopback addresses and its key, in PEM. */
export function selfSignedPem(name: string): { readonly cert: string; readonly key: string } {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = issueCertificate({
    kind: 'server',
    subject: name,
    key,
    serial: Buffer.from([1]),
    notBefore: Date.UTC(2020, 0),
    notAfter: Date.UTC(2049, 0),
    names: ['localhost'],
    addresses: [Buffer.from([127, 0, 0, 1])],
  })
  return { cert, key: key.export({ format: 'pem', type: 'pkcs8' }).toString() }
}
