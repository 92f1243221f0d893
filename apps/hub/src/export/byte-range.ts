/** What a request asks for: from a byte on, up to one, or the last so many. */
export type AskedRange =
  | { readonly first: number; readonly last?: number }
  | { readonly lastBytes: number; readonly first?: never }

/**
 * The one range that a request asks for of the same thing (RFC 9110, 14.2 and 13.1.5). What is malformed, several ranges,
 * and a range of what has changed since are answered with the whole.
 */
export function byteRange(headers: Headers, etag: string): AskedRange | undefined {
  const condition = headers.get('if-range')
  if (condition !== null && condition !== etag) return undefined
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range') ?? '') ?? []
  if (from === '') return to === '' ? undefined : { lastBytes: Number(to) }
  const first = Number(from)
  if (to === '') return { first }
  return Number(to) < first ? undefined : { first, last: Number(to) }
}

/** The first byte and the one after the last, of so many as there are; undefined where there are none of them. */
export function within(asked: AskedRange, total: number): { first: number; end: number } | undefined {
  const first = asked.first ?? Math.max(0, total - asked.lastBytes)
  const end = asked.first === undefined ? total : Math.min(total, (asked.last ?? total) + 1)
  return first < end ? { first, end } : undefined
}

/** The pieces without the bytes before `first` and from `end` on. */
export async function* bytesOf(
  pieces: AsyncIterable<Uint8Array>,
  first: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of pieces) {
    const wanted = piece.subarray(Math.max(0, first - at), Math.max(0, end - at))
    if (wanted.length > 0) yield wanted
    at += piece.length
    if (at >= end) return
  }
}
