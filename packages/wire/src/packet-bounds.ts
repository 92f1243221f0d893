/** Nested tunnels. More is an attack. */
export const MAX_TUNNELS = 8
/** Larger than any offloaded frame: a longer one is damage. */
export const MAX_FRAME = 1 << 24
