import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { der, objectId, positiveInteger, TAG, time } from './der.ts'

/** What a certificate says (RFC 5280). Keys are ECDSA keys of P-256. */
export interface CertificateContent {
  /** An authority signs certificates of servers, and no other authority. */
  readonly kind: 'authority' | 'server'
  /** The common name. */
  readonly subject: string
  readonly key: KeyObject
  /** Absent: the certificate is signed by its own key. */
  readonly issuer?: { readonly subject: string; readonly key: KeyObject }
  /** Random bytes, at most 20 with the first one below 128. */
  readonly serial: Uint8Array
  /** Unix milliseconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** DNS names of a server. */
  readonly names?: readonly string[]
  /** Addresses of a server, as 4 or 16 bytes. */
  readonly addresses?: readonly Uint8Array[]
}

const ECDSA_WITH_SHA256 = der(TAG.sequence, objectId('1.2.840.10045.4.3.2'))
const VERSION_3 = der(0xa0, der(TAG.integer, Buffer.from([2])))
/** Bits of the key usage, from the first: digitalSignature 0, keyCertSign 5, cRLSign 6. */
const SIGNS_DATA = der(TAG.bitString, Buffer.from([7, 0x80]))
const SIGNS_CERTIFICATES = der(TAG.bitString, Buffer.from([1, 0x06]))

/** A signed certificate in PEM. */
export function issueCertificate(content: CertificateContent): string {
  const issuer = content.issuer ?? content
  const contents = der(
    TAG.sequence,
    VERSION_3,
    positiveInteger(content.serial),
    ECDSA_WITH_SHA256,
    nameOf(issuer.subject),
    der(TAG.sequence, time(content.notBefore), time(content.notAfter)),
    nameOf(content.subject),
    publicKeyOf(content.key),
    der(0xa3, der(TAG.sequence, ...extensionsOf(content, issuer.key))),
  )
  const signature = der(TAG.bitString, Buffer.from([0]), sign('sha256', contents, issuer.key))
  const text = der(TAG.sequence, contents, ECDSA_WITH_SHA256, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function nameOf(commonName: string): Buffer {
  const attribute = der(TAG.sequence, objectId('2.5.4.3'), der(TAG.utf8String, Buffer.from(commonName)))
  return der(TAG.sequence, der(TAG.set, attribute))
}

function extensionsOf({ kind, key, names = [], addresses = [] }: CertificateContent, issuer: KeyObject) {
  const alternatives = [
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, address)),
  ]
  const isAuthority = kind === 'authority'
  // An authority may sign servers only: its path has no other authority (pathLenConstraint 0).
  const basic = isAuthority ? [der(TAG.boolean, Buffer.from([0xff])), der(TAG.integer, Buffer.from([0]))] : []
  return [
    extension('2.5.29.19', der(TAG.sequence, ...basic), true),
    extension('2.5.29.15', isAuthority ? SIGNS_CERTIFICATES : SIGNS_DATA, true),
    ...(isAuthority ? [] : [extension('2.5.29.37', der(TAG.sequence, objectId('1.3.6.1.5.5.7.3.1')))]),
    extension('2.5.29.14', der(TAG.octetString, keyId(key))),
    extension('2.5.29.35', der(TAG.sequence, der(0x80, keyId(issuer)))),
    ...(alternatives.length > 0 ? [extension('2.5.29.17', der(TAG.sequence, ...alternatives))] : []),
  ]
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der(TAG.boolean, Buffer.from([0xff]))] : []
  return der(TAG.sequence, objectId(id), ...critical, der(TAG.octetString, value))
}

function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' })
}

/** Any digest of the key will do (RFC 5280, section 4.2.1.2); authorities with the same name differ by it. */
function keyId(key: KeyObject): Buffer {
  return createHash('sha256').update(publicKeyOf(key)).digest().subarray(0, 20)
}
