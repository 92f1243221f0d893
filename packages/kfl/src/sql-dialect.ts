import type { Scalar } from './typed-node.ts'

/** What databases write differently. Arguments are expressions of the same dialect; NULL in an argument gives NULL. */
export interface SqlDialect {
  /** A constant that the database reads back exactly; undefined where no literal can hold it. */
  literal(value: Scalar): string | undefined
  contains(text: string, part: string): string
  startsWith(text: string, part: string): string
  endsWith(text: string, part: string): string
  /** Whether a pattern of RE2 is found in the text; `.` matches no line break. */
  matches(text: string, pattern: string): string
  /** Whether a pattern matches all of the text. */
  matchesAll(text: string, pattern: string): string
  /** Length in code points. */
  length(text: string): string
  double(value: string): string
  /** A text of digits as a number. */
  integer(text: string): string
  /** The decimal number at a place (from 1) of a text that is separated by dots; NULL where there is none. */
  octet(text: string, place: number): string
}
