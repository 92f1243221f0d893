/** Size of a block of packets that goes from the capture thread to disk and to the live thread. */
export const BLOCK_BYTES = 1 << 20
/** Blocks that the live thread may use. */
export const SHARED_BLOCKS = 16
/** Blocks that stay in the capture thread: one to fill, and those for two kernel blocks, one of which is being written. */
export const PRIVATE_BLOCKS = 10
const BLOCKS = SHARED_BLOCKS + PRIVATE_BLOCKS
export const BLOCK_MEMORY = BLOCKS * BLOCK_BYTES

/** The blocks as views of one memory, in any thread. Only touched pages cost memory. */
export function blockViews(memory: ArrayBuffer, offset: number): readonly Uint8Array[] {
  return Array.from(
    { length: BLOCKS },
    (_, block) => new Uint8Array(memory, offset + block * BLOCK_BYTES, BLOCK_BYTES),
  )
}
