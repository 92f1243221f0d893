/**
 * The first byte that a request asks for, where it resumes a download of the same thing (RFC 9110, 14.2 and 13.1.5).
 * Other ranges are answered with the whole, which is always allowed.
 */
export function byteRange(headers: Headers, etag: string): number | undefined {
  const condition = headers.get('if-range')
  if (condition !== null && condition !== etag) return undefined
  const [, first] = /^bytes=(\d{1,15})-$/.exec(headers.get('range') ?? '') ?? []
  return first === undefined ? undefined : Number(first)
}

/** The pieces without the bytes before `first`. */
export async function* fromByte(
  pieces: AsyncIterable<Uint8Array>,
  first: number,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of pieces) {
    if (at + piece.length > first) yield at >= first ? piece : piece.subarray(first - at)
    at += piece.length
  }
}
