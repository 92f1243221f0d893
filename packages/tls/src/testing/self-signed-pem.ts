import { generateKeyPairSync, sign } from 'node:crypto'

const ecdsaWithSha256 = Buffer.from([0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])
const commonName = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03])
const altName = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x11])

/** A self-signed certificate for loopback addresses (RFC 5280) and its key, in PEM. */
export function selfSignedPem(name: string): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, ecdsaWithSha256)
  const subject = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from(name)))))
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('490101000000Z')))
  const names = der(0x30, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, der(0x30, der(0x30, altName, der(0x04, names)))),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const text = der(0x30, content, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----
${text}
-----END CERTIFICATE-----
`
  return { cert, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() }
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), body])
}
