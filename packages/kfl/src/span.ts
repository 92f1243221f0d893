/** A stretch of the filter's text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}
