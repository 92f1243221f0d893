/** What is wrong with a regular expression, and at which of its characters. */
export class RegexError extends Error {
  override readonly name = 'RegexError'
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}
