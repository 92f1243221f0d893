/** More threads bring no speed. */
export const MAX_THREADS = 64
