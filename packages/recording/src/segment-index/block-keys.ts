import type { PacketKeys } from '@tapdeck/wire'

/** Of an enhanced packet block: where the packet itself begins. */
const PACKET = 28

/** The link type in the interface description block at `at`. */
export function linkOf(bytes: Uint8Array, at: number): number {
  return bytes[at + 8]! | (bytes[at + 9]! << 8)
}

/**
 * Reads who takes part in the packet of the enhanced packet block at `at`, of which the bytes up to `end` are there.
 * `links`: link types by interface.
 */
export function readKeys(
  who: PacketKeys,
  bytes: Uint8Array,
  at: number,
  end: number,
  links: readonly number[],
): void {
  const start = at + PACKET
  const captured = Math.min(u32(bytes, at + 20), end - start)
  who.read(bytes, start, start + captured, u32(bytes, at + 24), links[u32(bytes, at + 8)] ?? 0)
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}
