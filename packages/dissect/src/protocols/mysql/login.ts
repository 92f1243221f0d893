import type { FieldValue } from '../../contract/message.ts'
import { utf8Lossy } from '../../text/text.ts'
import { int16, int32, integerAt, integerSize, textEnd, zeroAt } from './bytes.ts'
import { CAPABILITY } from './capability.ts'

const MAX_ATTRIBUTES = 32

/** What a client says of itself. Of its password nothing is read. */
export interface Login {
  readonly user?: string
  readonly database?: string
  readonly plugin?: string
  readonly attributes?: { readonly [name: string]: FieldValue }
}

/** What a server says of itself. */
export interface Greeting {
  readonly version: string
  readonly thread: number
  readonly capabilities: number
}

export function readGreeting(bytes: Uint8Array, start: number, end: number): Greeting {
  const zero = zeroAt(bytes, start + 1, end)
  const low = zero + 14
  return {
    version: utf8Lossy(bytes.subarray(start + 1, zero)),
    thread: zero + 5 <= end ? int32(bytes, zero + 1) : 0,
    capabilities:
      (low + 2 <= end ? int16(bytes, low) : 0) | (low + 7 <= end ? int16(bytes, low + 5) << 16 : 0),
  }
}

/** Protocol::HandshakeResponse41. */
export function readLogin(bytes: Uint8Array, start: number, end: number): Login {
  const capabilities = int32(bytes, start)
  const user = zeroAt(bytes, start + 32, end)
  const login: { -readonly [K in keyof Login]: Login[K] } = {}
  if (user > start + 32) login.user = utf8Lossy(bytes.subarray(start + 32, user))
  return readRest(bytes, afterPassword(bytes, user + 1, end, capabilities), end, capabilities, login)
}

/** COM_CHANGE_USER says the same in another order, without flags: those of the connection hold. */
export function readChangeUser(bytes: Uint8Array, start: number, end: number, capabilities: number): Login {
  const user = zeroAt(bytes, start, end)
  const login: { -readonly [K in keyof Login]: Login[K] } = {}
  if (user > start) login.user = utf8Lossy(bytes.subarray(start, user))
  const database = user + 2 + (bytes[user + 1] ?? 0)
  const zero = zeroAt(bytes, database, end)
  if (zero > database && zero <= end) login.database = utf8Lossy(bytes.subarray(database, zero))
  const plugin = zero + 3
  return readRest(bytes, plugin, end, capabilities & ~CAPABILITY.connectWithDb, login)
}

function readRest(
  bytes: Uint8Array,
  start: number,
  end: number,
  capabilities: number,
  login: { -readonly [K in keyof Login]: Login[K] },
): Login {
  let at = start
  if (capabilities & CAPABILITY.connectWithDb && at < end) {
    const zero = zeroAt(bytes, at, end)
    if (zero > at) login.database = utf8Lossy(bytes.subarray(at, zero))
    at = zero + 1
  }
  if (capabilities & CAPABILITY.pluginAuth && at < end) {
    const zero = zeroAt(bytes, at, end)
    if (zero > at) login.plugin = utf8Lossy(bytes.subarray(at, zero))
    at = zero + 1
  }
  if (capabilities & CAPABILITY.connectAttributes && at < end) {
    const attributes = readAttributes(bytes, at, end)
    if (attributes !== undefined) login.attributes = attributes
  }
  return login
}

function afterPassword(bytes: Uint8Array, at: number, end: number, capabilities: number): number {
  if (at >= end) return end
  if (capabilities & CAPABILITY.authLengthEncoded) {
    const stop = textEnd(bytes, at, end)
    return stop < 0 ? end : stop
  }
  if (capabilities & CAPABILITY.secureConnection) return at + 1 + bytes[at]
  return zeroAt(bytes, at, end) + 1
}

/** Names and values in turns, such as `program_name`. */
function readAttributes(bytes: Uint8Array, start: number, end: number): Login['attributes'] {
  const size = integerSize(bytes[start])
  if (size === 0 || start + size > end) return undefined
  const stop = Math.min(end, start + size + integerAt(bytes, start))
  const attributes: Record<string, string> = {}
  let at = start + size
  for (let i = 0; i < MAX_ATTRIBUTES && at < stop; i++) {
    const nameEnd = textEnd(bytes, at, stop)
    const valueEnd = nameEnd < 0 ? -1 : textEnd(bytes, nameEnd, stop)
    if (valueEnd < 0) break
    const name = textOf(bytes, at, nameEnd)
    if (name !== '__proto__') attributes[name] = textOf(bytes, nameEnd, valueEnd)
    at = valueEnd
  }
  return Object.keys(attributes).length > 0 ? attributes : undefined
}

/** A length-encoded text that ends at `end`. */
export function textOf(bytes: Uint8Array, at: number, end: number): string {
  return utf8Lossy(bytes.subarray(at + integerSize(bytes[at]), end))
}
