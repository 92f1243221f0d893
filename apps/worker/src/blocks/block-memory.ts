/** Size of a block of packets on its way from the capture thread to disk and to the live thread. */
export const BLOCK_BYTES = 1 << 20
/** Blocks that may be with the live thread. */
export const SHARED_BLOCKS = 16
/** Those behind them never leave the capture thread: one to fill, and those of two blocks of the kernel, one of which is being written. */
export const PRIVATE_BLOCKS = 10
const BLOCKS = SHARED_BLOCKS + PRIVATE_BLOCKS
export const BLOCK_MEMORY = BLOCKS * BLOCK_BYTES

/** The blocks as views of one memory, in whichever thread. Only touched pages cost memory. */
export function blockViews(memory: ArrayBuffer, offset: number): readonly Uint8Array[] {
  return Array.from(
    { length: BLOCKS },
    (_, block) => new Uint8Array(memory, offset + block * BLOCK_BYTES, BLOCK_BYTES),
  )
}
