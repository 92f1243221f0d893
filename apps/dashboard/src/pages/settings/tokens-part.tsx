import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { dateTime } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { tokenLives } from './token-lives.ts'

type Token = Awaited<ReturnType<typeof hub.tokens>>['tokens'][number]

/** API tokens: makes, lists and revokes them. A made token is shown once. */
export function TokensPart() {
  const caller = useCaller()
  const denied = caller.reasonAgainst('access:manage')
  const { data, error } = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => hub.tokens(signal),
    enabled: denied === undefined,
  })
  const [revoking, setRevoking] = useState<Token>()
  return (
    <section className="snapshot settings-part" aria-label="API tokens">
      <h2>API tokens</h2>
      <p className="soft">
        For programs and other people: <code>Authorization: Bearer tpd_…</code>
      </p>
      {denied && <p className="soft">{denied}</p>}
      {/* The own token limits what can be made, so the form waits for the list. */}
      {(data || error) && <MakeToken ownEnd={data?.tokens.find(({ own }) => own)?.expires_at} />}
      {error && <ProblemNote problem={error} />}
      {data?.tokens.length === 0 && <p className="soft">There are no tokens.</p>}
      <ul className="settings-list">
        {data?.tokens.map((token) => (
          <li key={token.id} aria-label={`Token ${token.name}`}>
            <b>{token.name}</b>
            <span className="badge">{token.role}</span>
            {token.own && <span className="badge good">yours</span>}
            {token.expired && <span className="badge warn">expired</span>}
            <span className="soft">
              {token.expires_at === null
                ? 'never expires'
                : `expires ${dateTime(Date.parse(token.expires_at))}`}
              ,{' '}
              {token.last_used_at === null
                ? 'never used'
                : `used ${dateTime(Date.parse(token.last_used_at))}`}
              {token.created_by !== undefined && `, made by ${token.created_by}`}
            </span>
            <Button look="bare" label={`Revoke the token ${token.name}`} onClick={() => setRevoking(token)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  )
}

function RevokeDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => hub.revokeToken(token.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tokens'] }).then(onClose),
  })
  return (
    <Dialog title={`Revoke the token ${token.name}?`} onClose={onClose} onSubmit={() => revoke.mutate()}>
      <p>It is refused at once, and its streams and sessions end.</p>
      {token.own && <p>This is your own token: you will be logged out.</p>}
      {revoke.error && <ProblemNote problem={revoke.error} />}
      <div className="actions">
        <Button onClick={onClose} autoFocus>
          Keep
        </Button>
        <Button type="submit" look="danger" busy={revoke.isPending}>
          Revoke
        </Button>
      </div>
    </Dialog>
  )
}

const usualLife = '90d'

function MakeToken({ ownEnd }: { readonly ownEnd: string | null | undefined }) {
  const id = useId()
  const caller = useCaller()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState('svc-viewer')
  const [chosen, setChosen] = useState(usualLife)
  const lives = tokenLives(ownEnd, hubNow())
  const expires = lives.includes(chosen) ? chosen : (lives.at(-1) ?? usualLife)
  const roles = useQuery({ queryKey: ['roles'], queryFn: ({ signal }) => hub.roles(signal) })
  const make = useMutation({
    mutationFn: () => hub.createToken({ name: name.trim(), role, expires }),
    onSuccess: () => {
      setName('')
      return queries.invalidateQueries({ queryKey: ['tokens'] })
    },
  })
  const bad = caller.isLoggedIn
    ? name.trim() === ''
      ? 'Give the token a name.'
      : undefined
    : 'Tokens have an effect only with tap.auth.enabled: true. Make the first one with tapdeck token create on the machine of the hub.'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!bad && !make.isPending) make.mutate()
  }
  const names = roles.data?.roles.map((one) => one.name) ?? [role]
  return (
    <>
      <form className="settings-row" onSubmit={submit} aria-label="Make an API token">
        <div className="field">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            className="input"
            value={name}
            maxLength={120}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Choice label="Role" value={role} options={names} onChange={setRole} />
        <Choice label="Valid for" value={expires} options={lives} onChange={setChosen} />
        <Button type="submit" look="primary" busy={make.isPending} reason={bad}>
          Make a token
        </Button>
      </form>
      {!caller.isLoggedIn && <p className="soft">{bad}</p>}
      {make.error && <ProblemNote problem={make.error} />}
      {make.data && (
        <div className="made-token" role="status">
          <p>
            The token of <b>{make.data.name}</b>. Copy it now: it is not shown again.
          </p>
          <code>{make.data.token}</code>
          <CopyButton text={() => make.data.token}>Copy</CopyButton>
        </div>
      )}
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  readonly onChange: (value: string) => void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </div>
  )
}
