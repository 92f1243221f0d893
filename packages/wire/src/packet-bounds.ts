/** Packets inside packets inside packets: more than this is an attack. */
export const MAX_TUNNELS = 8
/** Larger than any offloaded frame: a length that only damage claims. */
export const MAX_FRAME = 1 << 24
