import { createHash } from 'node:crypto'

/** Some 4,000 characters, or a part of them, that compress badly and differ from those of any other call. */
export function bodyOf(ordinal: number, hashes = 60): string {
  let body = ''
  for (let i = 0; i < hashes; i++) body += createHash('sha256').update(`${ordinal}/${i}`).digest('hex')
  return body
}

export function podOf(ordinal: number): string {
  return `web-${ordinal % 10_000}`
}
