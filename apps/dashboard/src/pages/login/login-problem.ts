import { HubProblem } from '../../client/hub-problem.ts'

const texts: Readonly<Record<string, string>> = {
  login_expired: 'The login took too long, or was begun in another browser. Log in again.',
  login_failed: 'The identity provider did not confirm the login.',
  no_role: 'You are signed in, but none of your groups has a role here. Ask the administrator of Tapdeck.',
  identity_unavailable: 'The identity provider does not answer. Try again, or use an API token.',
}

/** What went wrong at the identity provider, where the address of this page says so. */
export function loginProblem(search: string): string | undefined {
  const code = new URLSearchParams(search).get('login_problem')
  return code === null ? undefined : (texts[code] ?? 'The login did not work.')
}

/** Why a pasted token was not taken. The hub's own words are for clients of the API. */
export function tokenProblem(problem: Error): Error {
  if (!(problem instanceof HubProblem) || problem.status !== 401) return problem
  return new HubProblem(401, {
    detail: 'This token is not known here. It may be misspelled, revoked, or of another hub.',
    hint: 'Copy the whole token, which begins with tpd_, or ask the administrator of Tapdeck for a new one.',
  })
}
