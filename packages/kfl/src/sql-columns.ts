/** One column of an index. */
export interface SqlColumn {
  /** An expression of the index's dialect, without side effects: a column's name, quoted where need be, or a lookup. */
  readonly sql: string
  /** `status` is a text: the word, or the number in decimal digits. Times are Unix milliseconds, as in the call. */
  readonly kind: 'string' | 'number' | 'boolean' | 'status'
  /** False where it is never NULL; filters are then simpler. NULL means absent. */
  readonly nullable?: boolean
  /** Of a status: an expression for its number, NULL where it is a word; compared instead of the text where given. */
  readonly number?: string
}

/** The columns of an index by path of the full call, such as `src.pod`. */
export type SqlColumns = Readonly<Record<string, SqlColumn>>
