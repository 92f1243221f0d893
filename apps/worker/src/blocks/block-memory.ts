/** Size of a block of packets on its way from the capture thread to disk and to the live thread. */
export const BLOCK_BYTES = 1 << 20
const BLOCKS = 17
/** Blocks that may be with the live thread: all but the last, which never leaves the capture thread. */
export const SHARED_BLOCKS = BLOCKS - 1
export const PRIVATE_BLOCK = BLOCKS - 1
export const BLOCK_MEMORY = BLOCKS * BLOCK_BYTES

/** The blocks as views of one memory, in whichever thread. Only touched pages cost memory. */
export function blockViews(memory: ArrayBuffer, offset: number): readonly Uint8Array[] {
  return Array.from(
    { length: BLOCKS },
    (_, block) => new Uint8Array(memory, offset + block * BLOCK_BYTES, BLOCK_BYTES),
  )
}
