import { Problem } from '@tapdeck/api'

/**
 * A browser names the page that a request comes from. A page of another origin must not press our buttons or read our
 * stream with the rights of whoever looks at it, so such requests are refused. Other clients send no Origin.
 */
export function demandSameOrigin(origin: string | null | undefined, host: string | null | undefined): void {
  if (!origin) return
  if (host && hostOf(origin) === host.toLowerCase()) return
  throw new Problem(403, 'foreign_origin', `a page of ${origin.slice(0, 200)} may not do this here`)
}

/** What a cookie gives rights to must come from our own page, and say so: silence is not enough. */
export function demandOwnPage(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  demandSameOrigin(origin, headers.get('host'))
  if (site === 'same-origin' || (site === null && origin !== null)) return
  throw new Problem(403, 'foreign_origin', 'with a session, only the dashboard itself may do this', {
    hint: 'Programs send Authorization: Bearer <token> instead of a cookie.',
  })
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}
