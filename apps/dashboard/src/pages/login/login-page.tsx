import './login-page.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { hub } from '../../client/hub.ts'
import { HubProblem } from '../../client/hub-problem.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { loginProblem, tokenProblem } from './login-problem.ts'

/** The login of unknown callers: by the identity provider, or with an API token. */
export function LoginPage() {
  const queries = useQueryClient()
  const ways = useQuery({ queryKey: ['login-ways'], queryFn: ({ signal }) => hub.loginWays(signal) }).data
  const [token, setToken] = useState('')
  const tokenId = useId()
  const logIn = useMutation({
    mutationFn: hub.logIn,
    onSuccess: () => queries.resetQueries({ queryKey: ['whoami'] }),
    onSettled: () => setToken(''),
  })
  const failed = loginProblem(location.search)
  const here = `${location.pathname}${location.search.replace(/[?&]login_problem=\w+/, '')}${location.hash}`

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() !== '') logIn.mutate(token.trim())
  }

  return (
    <main className="login">
      <h1 className="brand">Tapdeck</h1>
      {failed && !logIn.error && <ProblemNote problem={new HubProblem(401, { detail: failed })} />}
      {ways?.oidc && (
        <a className="button primary" href={`/auth/login?return_to=${encodeURIComponent(here)}`}>
          Log in
        </a>
      )}
      <form onSubmit={submit} aria-label="Log in with an API token">
        <div className="field">
          <label htmlFor={tokenId}>{ways?.oidc ? 'Or paste an API token' : 'API token'}</label>
          <input
            id={tokenId}
            className="input mono"
            type="password"
            value={token}
            autoComplete="off"
            spellCheck={false}
            placeholder="tpd_…"
            onChange={(event) => setToken(event.target.value)}
          />
        </div>
        {logIn.error && <ProblemNote problem={tokenProblem(logIn.error)} />}
        <Button type="submit" look={ways?.oidc ? 'plain' : 'primary'} busy={logIn.isPending}>
          Use token
        </Button>
      </form>
      <p className="soft">
        <code>tapdeck token create --role svc-viewer</code> makes one, on the machine of the hub.
      </p>
    </main>
  )
}
