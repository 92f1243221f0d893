/**
 * Where things stand in the line of a call, counted from its beginning. Headers and bodies, which a full call has
 * twice, stand in the line once: whoever completes it sets `req_headers`, `resp_headers`, `req_body` and `resp_body`
 * (those of which the end is not 0) at `middle`.
 */
export const LINE = {
  /** Of the objects of both ends, the brace that closes them. */
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
