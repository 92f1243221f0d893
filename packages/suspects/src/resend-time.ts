/** The shortest time after which a segment is sent again; each further time takes twice as long (RFC 6298, Linux). Milliseconds. */
const FIRST = 200

/** How old a request must be to have been sent again so often. Milliseconds. */
export function resendTime(times: number): number {
  return FIRST * (2 ** times - 1)
}
