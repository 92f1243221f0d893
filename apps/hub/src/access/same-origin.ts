import { Problem } from '@tapdeck/api'

/**
 * A browser names the page that a request comes from. A page of another origin must not press our buttons or read our
 * stream with the rights of its viewer, so such requests are refused. Other clients send no Origin.
 */
export function requireMatchingOrigin(
  origin: string | null | undefined,
  host: string | null | undefined,
): void {
  if (!origin) return
  if (host && hostOf(origin) === host.toLowerCase()) return
  throw new Problem(403, 'foreign_origin', `Cross-origin request from ${origin.slice(0, 200)} rejected`)
}

/** What a cookie gives rights to must come from our own page, and say so: silence is not enough. */
export function requireDashboardOrigin(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  requireMatchingOrigin(origin, headers.get('host'))
  if (site === 'same-origin' || (site === null && origin !== null)) return
  throw new Problem(
    403,
    'foreign_origin',
    'Cross-site request rejected: session cookies are accepted from the dashboard only',
    {
      hint: 'Programs send Authorization: Bearer <token> instead of a cookie.',
    },
  )
}

/**
 * Browsers say how a request came about (Fetch Metadata). A page of another origin, of the same site too, may lead a
 * person here by a link, and do nothing else: even a GET whose answer it cannot read costs work.
 */
export function requireSameSite(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  if (headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document') return
  throw new Problem(
    403,
    'foreign_origin',
    `Cross-origin request rejected (Sec-Fetch-Site: ${site.slice(0, 20)})`,
    {
      hint: 'Open the address in a tab, or send the request from a program.',
    },
  )
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}
