import type { KeyLabel } from '@tapdeck/tls'

export interface TrafficSecret {
  readonly label: KeyLabel
  readonly secret: Uint8Array
}

/** How a library keeps the secrets of TLS 1.3 in the object of a connection. */
export interface SecretSlots {
  /** From the first to the last byte that is needed; a multiple of 64. */
  readonly bytes: number
  /** The secrets, if the slots begin at this offset. They are verified; undefined if they are not secrets. */
  at(object: Buffer, offset: number): TrafficSecret[] | undefined
  /** The offset at which the slots begin; undefined if there are none, for example in a connection with TLS 1.2. */
  find(object: Buffer): number | undefined
}

/** Of 32 random bytes at least 22 differ, with near certainty. */
export function looksRandom(bytes: Buffer, at: number): boolean {
  return new Set(bytes.subarray(at, at + 32)).size >= 22
}
