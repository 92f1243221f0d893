import { Malformed } from '@tapdeck/wire'
import { isOpcode } from './opcode.ts'

/** Length, request id, whom it answers, opcode: four little-endian numbers. */
export const HEADER = 16
/** Servers refuse more than 48,000,000 bytes (`maxMessageSizeBytes`); some room is left for headers. */
const MAX_LENGTH = 48_000_000 + 64 * 1024

export function int32(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
}

export function isLength(length: number): boolean {
  return length >= HEADER + 4 && length <= MAX_LENGTH
}

export function frameLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < HEADER) return 0
  const length = int32(bytes, start)
  if (!isLength(length)) throw new Malformed('no message length')
  if (!isOpcode(int32(bytes, start + 12))) throw new Malformed('unknown opcode')
  return length
}
