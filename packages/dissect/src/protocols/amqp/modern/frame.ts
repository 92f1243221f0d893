import { Malformed, type Side } from '@tapdeck/wire'
import { isPerformative } from './performative.ts'

/** AMQP 1.0 part 2 §2.3: size, offset of the body in words, type, channel. */
export const HEADER = 8
const MAX_SIZE = 0xffffff

export function frameLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4) return 0
  const size = (bytes[start] << 24) | (bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3]
  if (size < HEADER || size > MAX_SIZE) throw new Malformed('impossible size of a frame')
  return size
}

export type Likeness = 'sure' | 'partly' | 'none'

/** A header and a performative that goes with its type. */
export function likeness(bytes: Uint8Array, at: number, end: number, side: Side): Likeness {
  if (bytes[at] !== 0) return 'none'
  if (end - at < 4) return 'partly'
  const size = (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
  if (size < HEADER) return 'none'
  if (end - at < HEADER) return end - at > 4 && bytes[at + 4] !== 2 ? 'none' : 'partly'
  const sasl = bytes[at + 5] === 1
  if (bytes[at + 4] !== 2 || bytes[at + 5] > 1) return 'none'
  // An empty frame keeps the connection alive; it proves nothing.
  if (size === HEADER) return 'partly'
  if (size < HEADER + 4) return 'none'
  if (end - at < HEADER + 4) return 'partly'
  const code = bytes[at + 10]
  const list = bytes[at + 11]
  if (bytes[at + 8] !== 0 || bytes[at + 9] !== 0x53 || !isPerformative(code)) return 'none'
  if (code >= 64 !== sasl || (list !== 0xc0 && list !== 0xd0 && list !== 0x45)) return 'none'
  // Initial response and response come from the client, the others from the server.
  if (sasl && (code === 65 || code === 67) !== (side === 0)) return 'none'
  return 'sure'
}

export function findFrame(bytes: Uint8Array, start: number, end: number, side: Side): number {
  for (let at = start; at < end; at++) if (likeness(bytes, at, end, side) === 'sure') return at
  return -1
}
