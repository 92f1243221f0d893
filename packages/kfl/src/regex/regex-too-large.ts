import { RegexError } from './regex-error.ts'

/** A pattern that is correct, but costs too much to build or to match. */
export class RegexTooLarge extends RegexError {
  constructor() {
    super('the pattern is too large', 0)
  }
}
