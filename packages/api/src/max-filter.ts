/** Characters of a filter, as it is accepted from a caller. */
export const MAX_FILTER = 8192
