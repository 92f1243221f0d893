import { latin1 } from '../../text/text.ts'
import { afterSession, EXTENSION, eachExtension, findExtension, isGrease, list16, uint16 } from './hello.ts'

/** What a client offers. Lists are in its order and still hold the GREASE values, which fingerprints count out. */
export interface ClientHello {
  readonly legacyVersion: number
  readonly versions: readonly number[]
  readonly cipherSuites: readonly number[]
  readonly extensions: readonly number[]
  readonly groups: readonly number[]
  readonly pointFormats: readonly number[]
  readonly signatureAlgorithms: readonly number[]
  readonly keyShares: readonly number[]
  readonly alpn: readonly string[]
  readonly sni?: string
  readonly earlyData: boolean
  readonly encryptedHello: boolean
}

/** RFC 8446 §4.1.2. A hello that was cut gives what there is of it. */
export function readClientHello(bytes: Uint8Array): ClientHello {
  const end = bytes.length
  const extensions: number[] = []
  const hello = {
    legacyVersion: uint16(bytes, 4),
    versions: [] as number[],
    cipherSuites: list16(bytes, afterSession(bytes, 0, end), end),
    extensions,
    groups: [] as number[],
    pointFormats: [] as number[],
    signatureAlgorithms: [] as number[],
    keyShares: [] as number[],
    alpn: [] as string[],
    earlyData: false,
    encryptedHello: false,
  }
  eachExtension(bytes, 0, end, (type, from, to) => {
    extensions.push(type)
    if (type === EXTENSION.supportedGroups) hello.groups = list16(bytes, from, to)
    else if (type === EXTENSION.pointFormats) hello.pointFormats = [...bytes.subarray(from + 1, to)]
    else if (type === EXTENSION.signatureAlgorithms) hello.signatureAlgorithms = list16(bytes, from, to)
    else if (type === EXTENSION.supportedVersions) hello.versions = versionsOf(bytes, from, to)
    else if (type === EXTENSION.keyShare) hello.keyShares = sharesOf(bytes, from, to)
    else if (type === EXTENSION.alpn) hello.alpn = alpnOf(bytes, from, to)
    else if (type === EXTENSION.earlyData) hello.earlyData = true
    else if (type === EXTENSION.encryptedClientHello) hello.encryptedHello = true
  })
  const sni = serverNameOf(bytes)
  return sni === undefined ? hello : { ...hello, sni }
}

/** RFC 6066 §3: the name that the client wants to speak to. */
export function serverNameOf(bytes: Uint8Array): string | undefined {
  const at = findExtension(bytes, 0, bytes.length, EXTENSION.serverName)
  if (at < 0 || at + 5 > bytes.length || bytes[at + 2] !== 0) return undefined
  const name = at + 5
  const end = Math.min(bytes.length, name + uint16(bytes, at + 3), at + uint16(bytes, at - 2))
  return end > name ? latin1(bytes, name, end) : undefined
}

/** Protocol names of an ALPN extension (RFC 7301 §3.1); those that are no text, by their bytes. */
export function alpnOf(bytes: Uint8Array, start: number, end: number): string[] {
  const names: string[] = []
  for (let at = start + 2; at < end; at += 1 + bytes[at]) {
    const to = at + 1 + bytes[at]
    if (to > end || to === at + 1) break
    names.push(latin1(bytes, at + 1, to))
  }
  return names
}

/** What the client speaks at best: the newest of the versions it lists, else what its hello says. */
export function offeredVersion({ versions, legacyVersion }: ClientHello): number {
  const known = versions.filter((version) => !isGrease(version))
  return known.length > 0 ? Math.max(...known) : legacyVersion
}

function versionsOf(bytes: Uint8Array, start: number, end: number): number[] {
  const versions: number[] = []
  const stop = Math.min(end, start + 1 + bytes[start])
  for (let at = start + 1; at + 2 <= stop; at += 2) versions.push(uint16(bytes, at))
  return versions
}

function sharesOf(bytes: Uint8Array, start: number, end: number): number[] {
  const groups: number[] = []
  for (let at = start + 2; at + 4 <= end; at += 4 + uint16(bytes, at + 2)) groups.push(uint16(bytes, at))
  return groups
}
