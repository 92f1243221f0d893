import { Malformed } from '@tapdeck/wire'

/** Each message has its length before it. */
export const PREFIX = 4
/** Brokers refuse requests of more than 100 MB (`socket.request.max.bytes`); responses may be longer. */
const MAX_LENGTH = 256 * 1024 * 1024
/** A response without its request is believed up to this length. */
export const BELIEVED = 16 * 1024 * 1024

export function int16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) >> 16) | bytes[at + 1]
}

export function int32(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
}

export function isLength(length: number, least: number): boolean {
  return length >= least && length <= MAX_LENGTH
}

export function frameLength(bytes: Uint8Array, start: number, end: number, least: number): number {
  if (end - start < PREFIX) return 0
  const length = int32(bytes, start)
  if (!isLength(length, least)) throw new Malformed('no message length')
  return length + PREFIX
}
