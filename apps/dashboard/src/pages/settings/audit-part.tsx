import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { dateTime } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'

type Entry = Awaited<ReturnType<typeof hub.audit>>['entries'][number]
const outcomes = ['all', 'done', 'refused'] as const

/** Who asked what. It is read on request only: reading it is an entry itself. */
export function AuditPart() {
  const id = useId()
  const denied = useCaller().reasonAgainst('access:manage')
  const [who, setWho] = useState('')
  const [what, setWhat] = useState('')
  const [outcome, setOutcome] = useState<(typeof outcomes)[number]>('all')
  const [changes, setChanges] = useState(true)
  const query = useDebounced(
    JSON.stringify({
      ...(who && { who }),
      ...(what && { what }),
      outcome,
      ...(changes && { changes: 'true' }),
      limit: 100,
    }),
    400,
  )
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => hub.audit(JSON.parse(query) as Parameters<typeof hub.audit>[0], signal),
    enabled: denied === undefined,
    placeholderData: (before) => before,
  })
  return (
    <section className="snapshot settings-part wide" aria-label="Audit log">
      <h2>Audit log</h2>
      {denied && <p className="soft">{denied}</p>}
      {!denied && (
        <form
          className="settings-row"
          aria-label="Filter of the audit log"
          onSubmit={(event) => event.preventDefault()}
        >
          <div className="field">
            <label htmlFor={`${id}-who`}>Caller contains</label>
            <input
              id={`${id}-who`}
              className="input"
              value={who}
              onChange={({ target }) => setWho(target.value)}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-what`}>Operation contains</label>
            <input
              id={`${id}-what`}
              className="input"
              value={what}
              onChange={({ target }) => setWhat(target.value)}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-outcome`}>Outcome</label>
            <select
              id={`${id}-outcome`}
              className="input"
              value={outcome}
              onChange={({ target }) => setOutcome(outcomes.find((one) => one === target.value) ?? 'all')}
            >
              {outcomes.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
          <label>
            <input type="checkbox" checked={changes} onChange={({ target }) => setChanges(target.checked)} />{' '}
            Only changes
          </label>
          <Button busy={isFetching} onClick={() => void refetch()}>
            Read again
          </Button>
        </form>
      )}
      {error && <ProblemNote problem={error} />}
      {data && data.entries.length === 0 && <p className="soft">No entry matches.</p>}
      {data && data.entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="settings-scroll tall" tabIndex={0} aria-label="Entries of the audit log">
          <table>
            <thead>
              <tr>
                {['time', 'caller', 'role', 'from', 'operation', 'status', 'input'].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.entries.map((entry, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and a list is replaced whole
                <Line key={at} entry={entry} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {data?.truncated && (
        <p className="soft">Older entries are not shown. Narrow the filter to find them.</p>
      )}
      {data && data.lost > 0 && (
        <p className="soft">{data.lost} entries could not be written since the start.</p>
      )}
    </section>
  )
}

function Line({ entry }: { readonly entry: Entry }) {
  const { at, who = '', role = '', from = '', what = '', status = 0, input } = entry
  return (
    <tr>
      <td className="mono">{dateTime(Date.parse(at))}</td>
      <td>{who}</td>
      <td>{role}</td>
      <td className="mono">{from}</td>
      <td className="mono">{what}</td>
      <td>
        <span className={`badge ${status >= 400 ? 'bad' : 'good'}`}>{status}</span>
      </td>
      <td className="mono cut" title={input === undefined ? undefined : JSON.stringify(input)}>
        {input === undefined ? '' : JSON.stringify(input)}
      </td>
    </tr>
  )
}
