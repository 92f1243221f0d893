import { utf8Lossy } from '../../text/text.ts'

/** RFC 4616: whom to act as, NUL, who it is, NUL, password. Only the second is shown. */
export function plainUser(response: Uint8Array): string | undefined {
  const first = response.indexOf(0)
  const second = first < 0 ? -1 : response.indexOf(0, first + 1)
  return second < 0 ? undefined : utf8Lossy(response.subarray(first + 1, second))
}
