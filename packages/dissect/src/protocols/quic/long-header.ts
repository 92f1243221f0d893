import { Malformed } from '@tapdeck/wire'
import { VarintReader } from './varint.ts'
import { type QuicVersion, quicVersion } from './version.ts'

/** Longer connection ids are not allowed: RFC 9000 §17.2. */
const MAX_ID_LENGTH = 20

/** A packet with a long header: RFC 9000 §17.2. All positions are in the datagram. */
export interface LongHeader {
  readonly code: number
  /** Undefined for version negotiation, whose code is 0, and for versions that are not known. */
  readonly version: QuicVersion | undefined
  readonly type: QuicVersion['types'][number] | undefined
  readonly destination: readonly [start: number, end: number]
  readonly source: readonly [start: number, end: number]
  readonly start: number
  /** Where the packet number stands; of version negotiation the list. */
  readonly number: number
  readonly end: number
}

export function hasLongHeader(bytes: Uint8Array, start: number): boolean {
  return bytes[start] >= 0x80
}

export function versionCode(bytes: Uint8Array, start: number): number {
  return (
    ((bytes[start + 1] << 24) | (bytes[start + 2] << 16) | (bytes[start + 3] << 8) | bytes[start + 4]) >>> 0
  )
}

/** Throws where that many bytes are no such packet. */
export function readLongHeader(bytes: Uint8Array, start: number, end: number): LongHeader {
  if (end - start < 7) throw new Malformed('QUIC cut short')
  const code = versionCode(bytes, start)
  const version = quicVersion(code)
  const reader = new VarintReader(bytes, start + 5, end)
  const destination = readId(bytes, reader)
  const source = readId(bytes, reader)
  const ids = { code, version, destination, source, start }
  if (version === undefined) return { ...ids, type: undefined, number: reader.at, end }
  const type = version.types[(bytes[start] >> 4) & 3]
  if (type === 'retry') return { ...ids, type, number: reader.at, end }
  if (type === 'initial') reader.skip(reader.next())
  const length = reader.next()
  const number = reader.at
  reader.skip(length)
  return { ...ids, type, number, end: reader.at }
}

function readId(bytes: Uint8Array, reader: VarintReader): readonly [number, number] {
  const length = bytes[reader.skip(1)]
  if (length > MAX_ID_LENGTH) throw new Malformed('connection id too long')
  const start = reader.skip(length)
  return [start, start + length]
}
