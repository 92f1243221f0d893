/** Written at once: enough to hide what a system call costs, and no more, see docs/decisions/recording-writes.md. */
export const WRITE_BYTES = 128 * 1024
