/** Words at the start of the chunk memory in which `quick-heads.wat` leaves its results. Offsets are from the head. */
export const HEAD_NOTES = {
  /** How many lines were noted, from `FIRST_LINE` on. */
  LINES: 0,
  METHOD: 1,
  METHOD_END: 2,
  PATH_END: 3,
  STATUS: 4,
  /** Content length; -1: not given. */
  LENGTH: 5,
  /** The value of the content type; -1: not given. */
  TYPE_START: 6,
  TYPE_END: 7,
  /** A line needs the full parser: another coding or protocol, an unusual length, or a second one. */
  UNUSUAL: 8,
  /** There are more lines than can be noted. */
  OVERFLOW: 9,
  /** A segment of the path may begin with g. */
  MAY_NAME_GRAPHQL: 10,
  FIRST_LINE: 16,
} as const
