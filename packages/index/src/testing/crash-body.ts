import { createHash } from 'node:crypto'

/** Some 4,000 characters that compress badly and can be told from those of any other call. */
export function bodyOf(ordinal: number): string {
  let body = ''
  for (let i = 0; i < 60; i++) body += createHash('sha256').update(`${ordinal}/${i}`).digest('hex')
  return body
}
