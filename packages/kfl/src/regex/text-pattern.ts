import { Regex } from './regex.ts'
import { RegexError } from './regex-error.ts'

/** Tests texts in linear time if the pattern is in RE2's language; patterns of a configuration may also use other features. */
export function textPattern(source: string): { test(text: string): boolean } {
  try {
    return new Regex(source)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    return new RegExp(source)
  }
}
