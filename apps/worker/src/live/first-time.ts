const ENHANCED_PACKET = 6
const TWO_32 = 4_294_967_296

/** Capture time of the first packet of a block, in microseconds; undefined if the block does not begin with a packet. */
export function firstTime(block: Uint8Array): number | undefined {
  if (block.length < 32 || u32(block, 0) !== ENHANCED_PACKET) return undefined
  return u32(block, 12) * TWO_32 + u32(block, 16)
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}
