/** With TLS, browsers ensure that only this host can set the cookie (`__Host-`). */
const sessionNames = { secure: '__Host-tapdeck_session', plain: 'tapdeck_session' } as const
export const loginName = 'tapdeck_login'

/** The secrets of sessions that a browser shows. */
export function sessionCookies(headers: Headers): string[] {
  return Object.values(sessionNames).flatMap((name) => readCookie(headers, name) ?? [])
}

export function readCookie(headers: Headers, name: string): string | undefined {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined
  }
  return undefined
}

/** Not readable by scripts, sent along from other sites only when a user follows a link. */
export function sessionCookie(secret: string, secure: boolean, seconds: number): string {
  return cookie(secure ? sessionNames.secure : sessionNames.plain, secret, '/', secure, seconds)
}

export function loginCookie(value: string, secure: boolean, seconds: number): string {
  return cookie(loginName, value, '/auth', secure, seconds)
}

/** Takes both kinds back, whichever it was. */
export function noSessionCookies(secure: boolean): string[] {
  return [sessionCookie('', false, 0), ...(secure ? [sessionCookie('', true, 0)] : [])]
}

function cookie(name: string, value: string, path: string, secure: boolean, seconds: number): string {
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}
