import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { countOf } from '../../format/amount.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { nameList } from './name-list.ts'

const OWN = 'rules of your own'
const ALL = 'tap.redaction'

/** Which fields of a call the rules hide, and by which rule. Nothing is changed. */
export function RedactionPart() {
  const id = useId()
  const denied = useCaller().reasonAgainst('access:manage')
  const [call, setCall] = useState('')
  const [by, setBy] = useState(OWN)
  const [headers, setHeaders] = useState('authorization, cookie')
  const [json, setJson] = useState('**.password')
  const roles = useQuery({
    queryKey: ['roles'],
    queryFn: ({ signal }) => hub.roles(signal),
    enabled: denied === undefined,
  })
  const redacted = roles.data?.roles.filter((role) => role.redacted).map(({ name }) => name) ?? []
  const preview = useMutation({
    mutationFn: async () => {
      const target = call.trim() === '' ? await latestCall() : chosenCall(call)
      const rules = {
        headers: nameList(headers),
        json: nameList(json),
        detect: ['card', 'bearer', 'jwt'] as const,
      }
      const choice =
        by === ALL ? {} : by === OWN ? { rules: { ...rules, detect: [...rules.detect] } } : { role: by }
      return { target, ...(await hub.previewRedaction({ ...target, ...choice })) }
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!denied && !preview.isPending) preview.mutate()
  }
  const found = preview.data
  return (
    <section className="snapshot settings-part" aria-label="Redaction">
      <h2>Redaction</h2>
      <p className="soft">
        Rules of <code>tap.redaction</code> apply before a call is stored, those of a role in its answers. Try
        them on a call.
      </p>
      <form className="settings-form" onSubmit={submit} aria-label="Try redaction">
        <div className="field">
          <label htmlFor={`${id}-call`}>Call: its id, or the address of its page</label>
          <input
            id={`${id}-call`}
            className="input mono"
            value={call}
            placeholder="the newest live call"
            autoComplete="off"
            onChange={({ target }) => setCall(target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-by`}>Rules</label>
          <select id={`${id}-by`} className="input" value={by} onChange={({ target }) => setBy(target.value)}>
            {[OWN, ALL, ...redacted].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        {by === OWN && (
          <>
            <div className="field">
              <label htmlFor={`${id}-headers`}>Headers</label>
              <input
                id={`${id}-headers`}
                className="input mono"
                value={headers}
                onChange={({ target }) => setHeaders(target.value)}
              />
            </div>
            <div className="field">
              <label htmlFor={`${id}-json`}>JSON paths</label>
              <input
                id={`${id}-json`}
                className="input mono"
                value={json}
                onChange={({ target }) => setJson(target.value)}
              />
            </div>
            <p className="soft">Card numbers, bearer tokens and JWTs are looked for as well.</p>
          </>
        )}
        <div className="actions">
          <Button type="submit" look="primary" busy={preview.isPending} reason={denied}>
            Try
          </Button>
        </div>
      </form>
      {denied && <p className="soft">{denied}</p>}
      {preview.error && <ProblemNote problem={preview.error} />}
      {found && (
        <div role="status">
          <p>
            <b>{countOf(found.changes.length, 'field')}</b> of <span className="mono">{found.target.id}</span>{' '}
            would change by {countOf(found.rules, 'rule')}
            {found.truncated && '; there are more'}.
          </p>
          <ul className="settings-list">
            {found.changes.map(({ field, rule, before, after }) => (
              <li key={`${rule} ${field}`}>
                <b className="mono">{field}</b>
                <span className="badge">{rule}</span>
                <span className="mono soft change-cut">
                  {before} → {after ?? 'left out'}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

async function latestCall(): Promise<{ id: string }> {
  const { calls } = await hub.calls({ limit: 1, kfl: '' })
  const [newest] = calls
  if (newest) return { id: newest.id }
  throw new Error('There is no live call. Give the id of a call, or the address of its page.')
}

/** An id as it is, or the address of the page that shows the call. */
function chosenCall(text: string): { id: string; db?: string } {
  const given = text.trim()
  if (!URL.canParse(given)) return { id: given }
  const query = new URL(given).searchParams
  const db = query.get('db')
  return { id: query.get('call') ?? given, ...(db && { db }) }
}
