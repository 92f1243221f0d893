import { type CredentialDetails, tokenDetails } from './token-details.ts'
import type { ValueHash } from './value-hash.ts'

/** Those of the registry of HTTP, and of common services. Any other first word may be a part of the secret. */
const SCHEMES =
  /^(basic|bearer|digest|negotiate|ntlm|token|api-?key|key|jwt|dpop|gnap|hoba|mutual|oauth|scram-sha-(?:1|256)|vapid|sharedkey(?:lite)?|signature|hawk|privatetoken|ssws|splunk|concealed|aws|aws4-[a-z0-9-]+)[ \t]+(?=\S)/i
/** Schemes with named parts of which one is the secret, and the others say what was signed and with which key. */
const NAMED_PARTS = /^(?:aws4-|digest|signature|hawk)/i
const SECRET_PART = /\b(signature|response|cnonce|mac)(=)("[^"]*"?|[^,\s"]*)/gi
const KEY_ID = /\b(?:credential=|keyid=|id=)"?([^/,"\s]{1,128})/i

/** Amazon's and Azure's older schemes: the key id, and what it signed. */
const SIGNED_BY = /^(?:aws|sharedkey)/i
const SIGNED = /^([^:\s]{1,128}):(.+)$/s
/** The token of a client that cannot set a header field: k8s.io/apiserver, websocket authentication. */
const TOKEN_PROTOCOL = /(\bbase64url\.bearer\.authorization\.k8s\.io\.)([\w=-]+)/g

export interface MaskedValue {
  readonly text: string
  /** Absent of cookies. */
  readonly details?: CredentialDetails
}

/** `Bearer x`, `Basic x`, `AWS4-HMAC-SHA256 Credential=…, Signature=x`, or a key alone. */
export function maskCredential(value: string, hash: ValueHash): MaskedValue {
  const [begin = '', scheme] = SCHEMES.exec(value) ?? []
  const secret = value.slice(begin.length)
  if (secret === '') return { text: value }
  if (scheme !== undefined && NAMED_PARTS.test(scheme) && secret.includes('=')) {
    let shown = ''
    const text = secret.replaceAll(SECRET_PART, (_, name: string, equals: string, part: string) => {
      const [quote] = part.startsWith('"') ? ['"'] : ['']
      const masked = hash.of(part.replaceAll('"', ''))
      if (!/^cnonce$/i.test(name)) shown = masked
      return `${name}${equals}${quote}${masked}${quote}`
    })
    const [, key_id] = KEY_ID.exec(secret) ?? []
    if (shown !== '')
      return {
        text: begin + text,
        details: { hash: shown, scheme, ...(key_id !== undefined && { key_id }) },
      }
  }
  const [, key_id, signature] = (scheme !== undefined && SIGNED_BY.test(scheme) && SIGNED.exec(secret)) || []
  if (key_id !== undefined && signature !== undefined) {
    const shown = hash.of(signature)
    return { text: `${begin}${key_id}:${shown}`, details: { hash: shown, scheme: scheme!, key_id } }
  }
  const masked = hash.of(secret)
  return {
    text: begin + masked,
    details: { hash: masked, ...(scheme !== undefined && { scheme }), ...tokenDetails(secret) },
  }
}

/** The pairs of `cookie`: names stay. */
export function maskCookies(value: string, hash: ValueHash): string {
  return value
    .split(';')
    .map((pair) => maskPair(pair, hash))
    .join(';')
}

/** A `set-cookie`: its attributes stay, too. */
export function maskSetCookie(value: string, hash: ValueHash): string {
  const end = value.indexOf(';')
  return end < 0 ? maskPair(value, hash) : maskPair(value.slice(0, end), hash) + value.slice(end)
}

/** The names of subprotocols stay, but for one that is a token; it is the same value as behind `Bearer`. */
export function maskProtocols(value: string, hash: ValueHash): string {
  return value.replaceAll(
    TOKEN_PROTOCOL,
    (_, name: string, token: string) => name + hash.of(Buffer.from(token, 'base64url').toString('latin1')),
  )
}

function maskPair(pair: string, hash: ValueHash): string {
  const equals = pair.indexOf('=')
  const value = pair.slice(equals + 1).trim()
  // Without a name it is a value: RFC 6265 §5.2.
  if (value === '') return pair
  const blank = equals < 0 ? /^\s*/.exec(pair)![0] : ''
  // RFC 6265 §4.1.1: quotes are around the value.
  const quote = /^".+"$/.test(value) ? '"' : ''
  const plain = quote === '' ? value : value.slice(1, -1)
  return pair.slice(0, equals + 1) + blank + quote + hash.of(plain) + quote
}
