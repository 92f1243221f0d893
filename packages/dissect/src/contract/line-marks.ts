/**
 * Offsets in the line of a call, from its beginning. A full call has headers and bodies twice, but the line has them
 * once: the consumer inserts `req_headers`, `resp_headers`, `req_body` and `resp_body` (where the end is not 0) at
 * `middle`.
 */
export const LINE = {
  /** The closing braces of both endpoints. */
  src: 0,
  dst: 1,
  reqHeaders: 2,
  reqHeadersEnd: 3,
  respHeaders: 4,
  respHeadersEnd: 5,
  reqBody: 6,
  reqBodyEnd: 7,
  respBody: 8,
  respBodyEnd: 9,
  middle: 10,
} as const
export const LINE_MARKS = 11
