import { Problem } from '@tapdeck/api'

/**
 * What is settled before any byte is made (RFC 9110, 13.2.2): 304 for a client that has the same version. Throws 412
 * where one that has changed since was asked for. Undefined: go on.
 */
export function preconditions(headers: Headers, etag: string): Response | undefined {
  const wanted = headers.get('if-match')
  if (wanted !== null && !names(wanted, etag))
    throw new Problem(412, 'changed', 'The content changed: its ETag does not match If-Match', {
      hint: 'Download it from the beginning, without If-Match.',
    })
  const had = headers.get('if-none-match')
  // Whether a tag is weak does not matter to this one (13.1.2).
  if (had === null || !names(had.replaceAll('W/', ''), etag)) return undefined
  return new Response(null, { status: 304, headers: { etag, 'cache-control': 'no-store' } })
}

function names(list: string, etag: string): boolean {
  return list.split(',').some((one) => one.trim() === '*' || one.trim() === etag)
}
