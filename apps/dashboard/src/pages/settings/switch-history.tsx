import { useQuery } from '@tanstack/react-query'
import { hub } from '../../client/hub.ts'
import { dateTime } from '../../format/time.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'

const SHOWN = 20

/** Who turned traffic indexing on and off, and why. */
export function SwitchHistory() {
  const { data, error } = useQuery({
    queryKey: ['switch-changes'],
    queryFn: ({ signal }) => hub.switchChanges(signal),
    refetchInterval: 10_000,
  })
  const changes = data?.changes.slice(0, SHOWN) ?? []
  return (
    <section className="snapshot settings-part" aria-label="Changes of traffic indexing">
      <h2>Changes of traffic indexing</h2>
      {error && <ProblemNote problem={error} />}
      {data && changes.length === 0 && <p className="soft">It has not been changed since the first start.</p>}
      <ul className="settings-list">
        {changes.map(({ at, enabled, by, reason }) => (
          <li key={`${at} ${enabled}`}>
            <time className="mono" dateTime={at}>
              {dateTime(Date.parse(at))}
            </time>
            <span className={`badge ${enabled ? 'good' : 'warn'}`}>{enabled ? 'resumed' : 'paused'}</span>
            <span>
              by {by}
              {reason !== '' && <span className="soft">, {reason}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
