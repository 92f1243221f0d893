/** Pooled sizes, powers of two: from part of a segment to a full one. */
const MIN_SIZE = 256
const MAX_SIZE = 2048
/** Buffers pooled per size. */
const MAX_POOLED = 16

const pools: Uint8Array[][] = []
for (let size = MIN_SIZE; size <= MAX_SIZE; size *= 2) pools.push([])

/** Index of the smallest size that fits. */
function sizeClass(size: number): number {
  return size <= MIN_SIZE ? 0 : Math.clz32(MIN_SIZE - 1) - Math.clz32(size - 1)
}

/**
 * A buffer of at least `size` bytes with unspecified content. Pooled, because a new ArrayBuffer for each frame that
 * spans two packets costs more than all other work on it, and triggers garbage collection.
 */
export function borrowBuffer(size: number): Uint8Array {
  if (size > MAX_SIZE) return new Uint8Array(size)
  const at = sizeClass(size)
  return pools[at].pop() ?? new Uint8Array(MIN_SIZE << at)
}

/** The caller must not use these bytes any more. */
export function returnBuffer(bytes: Uint8Array): void {
  const { length } = bytes
  if (length < MIN_SIZE || length > MAX_SIZE) return
  const same = pools[sizeClass(length)]
  if (length === MIN_SIZE << sizeClass(length) && same.length < MAX_POOLED) same.push(bytes)
}
