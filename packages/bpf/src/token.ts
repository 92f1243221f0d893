export type TokenKind = 'word' | 'number' | 'address' | 'symbol' | 'end'

/** One piece of an expression. `text` is as written, but for a backslash before a word that is no keyword here. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Of a number. */
  readonly value: number
  /** After a backslash: a name, never a keyword. */
  readonly escaped: boolean
  readonly start: number
  readonly end: number
}
