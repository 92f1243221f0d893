import { createHash } from 'node:crypto'
import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import { Malformed } from '@tapdeck/wire'
import { latin1, utf8Lossy } from '../../text/text.ts'
import { children, type Der, oidText, readDer, TAG, timeText } from './der.ts'
import { attributeName, keyName, SUBJECT_ALTERNATIVES, signatureName } from './oid.ts'

/** What people ask of a certificate. Times are RFC 3339. */
export interface Certificate {
  readonly subject: string
  readonly issuer: string
  readonly serial: string
  readonly not_before?: string
  readonly not_after?: string
  readonly sans: readonly string[]
  readonly key: string
  readonly signature: string
  readonly self_signed: boolean
  readonly fingerprint_sha256: string
}

const MAX_NAMES = 100

/** X.509 (RFC 5280 §4.1). Undefined where the bytes are cut or no certificate. */
export function readCertificate(bytes: Uint8Array): Certificate | undefined {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

function read(bytes: Uint8Array): Certificate | undefined {
  const [body] = children(readDer(bytes, 0, bytes.length))
  if (body === undefined) return undefined
  const parts = children(body)
  // The version is optional and comes first, tagged [0].
  if (parts[0]?.tag === 0xa0) parts.shift()
  const [serial, signature, issuer, validity, subject, key, ...rest] = parts
  if (key === undefined) return undefined
  const [from, until] = children(validity)
  const notBefore = from === undefined ? undefined : timeText(from)
  const notAfter = until === undefined ? undefined : timeText(until)
  return {
    subject: nameText(subject),
    issuer: nameText(issuer),
    serial: hex(serial),
    ...(notBefore === undefined ? {} : { not_before: notBefore }),
    ...(notAfter === undefined ? {} : { not_after: notAfter }),
    sans: alternatives(rest.find(({ tag }) => tag === 0xa3)),
    key: keyText(key),
    signature: signatureName(algorithm(signature)),
    self_signed: sameBytes(subject, issuer),
    fingerprint_sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** `CN=example.com,O=Example`: in the order of the certificate, with RFC 4514's short names. */
function nameText(name: Der): string {
  const parts: string[] = []
  for (const set of children(name)) {
    for (const pair of children(set)) {
      const [type, value] = children(pair)
      if (value !== undefined) parts.push(`${attributeName(oidText(type))}=${escaped(valueText(value))}`)
    }
  }
  return parts.join(',')
}

/** RFC 4514 §2.4: what would end a value, or be taken for more than itself. */
function escaped(value: string): string {
  return value.replace(/[",+;<>\\]|^[ #]| $/g, '\\$&')
}

function valueText({ tag, bytes, start, end }: Der): string {
  if (tag !== TAG.bmpString) return utf8Lossy(bytes.subarray(start, end))
  const even = end - ((end - start) & 1)
  return Buffer.from(bytes.subarray(start, even)).swap16().toString('utf16le')
}

/** RFC 5280 §4.2.1.6: names, addresses, URIs (SPIFFE identities among them). */
function alternatives(extensions: Der | undefined): string[] {
  const found: string[] = []
  const [list] = extensions === undefined ? [] : children(extensions)
  for (const extension of list === undefined ? [] : children(list)) {
    const [type, ...more] = children(extension)
    const value = more.find(({ tag }) => tag === TAG.octetString)
    if (type === undefined || value === undefined || oidText(type) !== SUBJECT_ALTERNATIVES) continue
    for (const name of children(readDer(value.bytes, value.start, value.end), MAX_NAMES)) {
      const { tag, bytes, start, end } = name
      if (tag === 0x87 && end - start === 4) found.push(formatIPv4(bytes, start))
      else if (tag === 0x87 && end - start === 16) found.push(formatIPv6(bytes, start))
      else if (tag >= 0x81 && tag <= 0x86) found.push(latin1(bytes, start, end))
    }
  }
  return found
}

function algorithm(sequence: Der): string {
  const [oid] = children(sequence)
  return oid === undefined ? '' : oidText(oid)
}

/** `RSA 2048`, `EC P-256`, `Ed25519`. */
function keyText(info: Der): string {
  const [kind, bits] = children(info)
  const [oid, parameter] = kind === undefined ? [] : children(kind)
  if (oid === undefined) return 'unknown'
  const name = keyName(oidText(oid))
  if (name === 'EC' && parameter?.tag === TAG.oid) return `EC ${keyName(oidText(parameter))}`
  if (name !== 'RSA' || bits === undefined) return name
  const [modulus] = children(readDer(bits.bytes, bits.start + 1, bits.end))
  if (modulus === undefined) return name
  const leading = modulus.bytes[modulus.start] === 0 ? 1 : 0
  return `RSA ${(modulus.end - modulus.start - leading) * 8}`
}

function sameBytes(a: Der, b: Der): boolean {
  return Buffer.compare(a.bytes.subarray(a.from, a.end), b.bytes.subarray(b.from, b.end)) === 0
}

function hex({ bytes, start, end }: Der): string {
  return Buffer.from(bytes.subarray(start, end)).toString('hex')
}
