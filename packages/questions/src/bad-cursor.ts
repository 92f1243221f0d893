/** A cursor that no page of this query handed out: damaged, or taken from another query. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor'
}
