import { useStatus } from '../../client/use-hub.ts'
import { dateTime } from '../../format/time.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'

/** Versions of all parts, and configuration keys that wait for a restart. */
export function AboutPart() {
  const { data, error } = useStatus()
  return (
    <section className="snapshot settings-part" aria-label="About">
      <h2>About</h2>
      {error && <ProblemNote problem={error} />}
      {data && (
        <ul className="settings-list">
          <li>
            <span>Hub</span>
            <b className="mono">{data.version}</b>
            <span className="soft">started {dateTime(Date.parse(data.started_at))}</span>
          </li>
          {data.nodes.map(({ name, version, connected }) => (
            <li key={name}>
              <span>Worker {name}</span>
              <b className="mono">{version}</b>
              {!connected && <span className="badge warn">not connected</span>}
              {version !== data.version && <span className="badge warn">not the version of the hub</span>}
            </li>
          ))}
        </ul>
      )}
      {data?.restart_needed?.map(({ key, reason }) => (
        <ProblemNote key={key} problem={new Error(`${key} changed and needs a restart: ${reason}`)} />
      ))}
      <p>
        <a href="/openapi.json" target="_blank" rel="noreferrer">
          The API as OpenAPI
        </a>{' '}
        <span className="soft">
          All keys of the configuration: <code>tapdeck config print</code>.
        </span>
      </p>
    </section>
  )
}
