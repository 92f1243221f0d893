/** Rows of one DuckDB data chunk. */
export const ROWS = 2048
