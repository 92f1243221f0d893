import { Problem } from '@tapdeck/api'
import { z } from 'zod'
import type { Access } from '../access/access.ts'
import type { AuditLog } from '../access/audit-log.ts'
import { loginCookie, loginName, noSessionCookies, readCookie, sessionCookie } from '../access/cookie.ts'
import { noteRefused } from '../access/note-refused.ts'
import { LOGIN_WITHIN_S, type OidcLogin } from '../access/oidc-login.ts'
import { requireDashboardOrigin } from '../access/same-origin.ts'
import type { LoggedIn } from '../access/sessions.ts'
import { check, readBody } from '../input/read-input.ts'
import type { Page } from './page.ts'

export interface AuthPagesOptions {
  readonly access: Access
  readonly audit: AuditLog
  readonly now: () => number
  /** The address that browsers use, without a slash at its end; undefined: the one they came by. */
  readonly publicUrl: () => string | undefined
  /** This port speaks TLS itself. */
  readonly secure: boolean
}

/** How browsers log in and out. A login ends in a session, whose secret is in a cookie that no script can read. */
export function authPages(options: AuthPagesOptions): Page[] {
  const { access, audit, now } = options
  const baseOf = (request: Request) => {
    const { host } = new URL(request.url)
    return (
      options.publicUrl() ?? `${options.secure ? 'https' : 'http'}://${request.headers.get('host') ?? host}`
    )
  }
  const isSecure = (request: Request) => baseOf(request).startsWith('https:')
  const welcome = (request: Request, who: LoggedIn, headers: Headers) => {
    const secret = access.sessions.open(who, now())
    headers.append(
      'set-cookie',
      sessionCookie(secret, isSecure(request), Math.floor(access.sessions.longestMs / 1000)),
    )
    return secret
  }
  const note = (what: string, who: string, kind: string, from: string, status: number) =>
    audit.add({ at: new Date(now()).toISOString(), who, role: '', kind, from, door: 'browser', what, status })

  return [
    {
      method: 'GET',
      path: '/auth/options',
      guard: 'open',
      answer: () =>
        answerJson({
          enabled: access.identifies,
          token: access.identifies,
          oidc: access.login !== undefined,
        }),
    },
    {
      method: 'POST',
      path: '/auth/session',
      guard: 'open',
      async answer(request, { from }) {
        requireDashboardOrigin(request.headers)
        requireAuthentication(access)
        const { token } = check(z.object({ token: z.string().min(1).max(4096) }), await readBody(request))
        const { caller, who } = await access.logIn(token.trim(), from).catch((error: unknown) => {
          throw noteRefused(
            audit,
            { at: new Date(now()).toISOString(), from, door: 'browser', what: 'log_in' },
            error,
          )
        })
        const headers = new Headers()
        welcome(request, who, headers)
        note('log_in', caller.name, caller.kind, from, 200)
        return answerJson({ name: caller.name, role: caller.role }, headers)
      },
    },
    {
      method: 'GET',
      path: '/auth/login',
      guard: 'open',
      async answer(request) {
        const login = requireLogin(access)
        const returnTo = localPath(new URL(request.url).searchParams.get('return_to'))
        const { address, cookie } = await login.begin(`${baseOf(request)}/auth/callback`, returnTo)
        const headers = new Headers({ location: address.href })
        headers.append('set-cookie', loginCookie(cookie, isSecure(request), LOGIN_WITHIN_S))
        return redirect(headers)
      },
    },
    {
      method: 'GET',
      path: '/auth/callback',
      guard: 'open',
      async answer(request, { from }) {
        const login = requireLogin(access)
        const headers = new Headers({ location: '/' })
        headers.append('set-cookie', loginCookie('', isSecure(request), 0))
        try {
          const callback = new URL(`${baseOf(request)}/auth/callback${new URL(request.url).search}`)
          const { who, returnTo } = await login.finish(callback, readCookie(request.headers, loginName))
          const secret = welcome(request, who, headers)
          // A user without a role gets the reason, and no useless session.
          await access
            .resolve(new Headers({ cookie: `tapdeck_session=${secret}` }))
            .catch((error: unknown) => {
              access.sessions.close(secret)
              headers.delete('set-cookie')
              throw error
            })
          headers.set('location', returnTo)
          note('log_in', who.kind === 'oidc' ? who.name : '', 'oidc', from, 200)
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          noteRefused(
            audit,
            { at: new Date(now()).toISOString(), from, door: 'browser', what: 'log_in' },
            error,
          )
          headers.set('location', `/?login_problem=${error.code}`)
        }
        return redirect(headers)
      },
    },
    {
      method: 'POST',
      path: '/auth/logout',
      guard: 'open',
      async answer(request, { from }) {
        requireDashboardOrigin(request.headers)
        const who = access.logOut(request.headers)
        const headers = new Headers()
        for (const cookie of noSessionCookies(isSecure(request))) headers.append('set-cookie', cookie)
        if (who) note('log_out', who.kind === 'oidc' ? who.name : `token ${who.token}`, who.kind, from, 200)
        const next =
          who?.kind === 'oidc'
            ? await access.login?.endSessionUrl(who.idToken, `${baseOf(request)}/`)
            : undefined
        return answerJson({ success: true, ...(next !== undefined && { next }) }, headers)
      },
    },
  ]
}

function requireAuthentication(access: Access): void {
  if (!access.identifies) throw new Problem(409, 'not_identified', 'Authentication is disabled on this hub')
}

function requireLogin(access: Access): OidcLogin {
  requireAuthentication(access)
  if (!access.login)
    throw new Problem(404, 'no_provider', 'No identity provider is configured for browser login')
  return access.login
}

/** A path of ours, and nothing that a browser could take for another origin. */
function localPath(given: string | null): string {
  return given !== null && /^\/(?![/\\])[^\s\\]*$/.test(given) && given.length <= 4096 ? given : '/'
}

function redirect(headers: Headers): Response {
  headers.set('cache-control', 'no-store')
  headers.set('referrer-policy', 'no-referrer')
  return new Response(null, { status: 302, headers })
}

function answerJson(body: unknown, headers = new Headers()): Response {
  headers.set('cache-control', 'no-store')
  return Response.json(body, { headers })
}
