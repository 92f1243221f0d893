import { createHash } from 'node:crypto'
import { type ClientHello, offeredVersion } from './client-hello.ts'
import { EXTENSION, isGrease } from './hello.ts'
import type { ServerHello } from './server-hello.ts'

/** Versions as JA4 writes them. */
const SHORT: Readonly<Record<number, string | undefined>> = {
  0x0002: 's2',
  0x0300: 's3',
  0x0301: '10',
  0x0302: '11',
  0x0303: '12',
  0x0304: '13',
}

/** What a client offers as one hash: version, suites, extensions, groups and point formats in its own order. */
export function ja3(hello: ClientHello): string {
  const { legacyVersion, cipherSuites, extensions, groups, pointFormats } = hello
  return md5([[legacyVersion], cipherSuites, extensions, groups, pointFormats])
}

/** What a server chose as one hash: version, suite, extensions. */
export function ja3s({ legacyVersion, cipherSuite, extensions }: ServerHello): string {
  return md5([[legacyVersion], cipherSuite === undefined ? [] : [cipherSuite], extensions])
}

/**
 * JA4: readable to its first `_` (transport, version, whether a name is asked for, how many suites and extensions,
 * first ALPN), then hashes of what is offered, sorted, so that shuffled extensions do not change it.
 */
export function ja4(hello: ClientHello, transport: 't' | 'q'): string {
  const suites = hello.cipherSuites.filter((suite) => !isGrease(suite))
  const extensions = hello.extensions.filter((extension) => !isGrease(extension))
  const named = extensions.includes(EXTENSION.serverName) ? 'd' : 'i'
  const version = SHORT[offeredVersion(hello)] ?? '00'
  const sorted = extensions
    .filter((extension) => extension !== EXTENSION.serverName && extension !== EXTENSION.alpn)
    .map(hex)
    .sort()
    .join(',')
  const algorithms = hello.signatureAlgorithms.filter((algorithm) => !isGrease(algorithm)).map(hex)
  const rest = algorithms.length > 0 ? `${sorted}_${algorithms.join(',')}` : sorted
  const counts = `${count(suites)}${count(extensions)}`
  return `${transport}${version}${named}${counts}${alpnMark(hello.alpn[0])}_${sha(suites.map(hex).sort().join(','))}_${sha(rest)}`
}

/** First and last character of the first protocol offered; of its hexadecimal form where these are no letters. */
function alpnMark(alpn: string | undefined): string {
  if (alpn === undefined || alpn === '') return '00'
  const first = alpn[0]
  const last = alpn[alpn.length - 1]
  if (/[0-9A-Za-z]/.test(first) && /[0-9A-Za-z]/.test(last)) return first + last
  return byteHex(first)[0] + byteHex(last)[1]
}

function byteHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0')
}

function count(list: readonly number[]): string {
  return String(Math.min(list.length, 99)).padStart(2, '0')
}

function hex(value: number): string {
  return value.toString(16).padStart(4, '0')
}

function sha(text: string): string {
  return text === '' ? '000000000000' : createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function md5(parts: readonly (readonly number[])[]): string {
  const text = parts.map((part) => part.filter((value) => !isGrease(value)).join('-')).join(',')
  return createHash('md5').update(text).digest('hex')
}
