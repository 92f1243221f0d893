/** Tables in ClickHouse that this version cannot read. The message says what to do. */
export class WrongSchema extends Error {
  override readonly name = 'WrongSchema'
}
