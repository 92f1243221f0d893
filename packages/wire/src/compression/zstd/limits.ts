/** RFC 8878 §3.1.1.2: no block is longer, packed or not. */
export const MAX_BLOCK = 128 * 1024
/** The largest window that is read: what `zstd --long` asks for without a number (27 bits). */
export const MAX_WINDOW = 128 * 1024 * 1024
