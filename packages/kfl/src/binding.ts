/** How tightly the kinds of expression bind, loosest first. Comparisons do not chain. */
export const BIND = {
  choose: 1,
  or: 2,
  and: 3,
  /** The word; it takes a whole comparison. */
  not: 4,
  compare: 5,
  range: 6,
  add: 7,
  multiply: 8,
  /** `!` and `-` */
  prefix: 9,
  primary: 10,
} as const
