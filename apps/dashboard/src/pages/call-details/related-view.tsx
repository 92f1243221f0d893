import type { Explanation } from '../../client/hub.ts'
import { latency } from '../../format/duration.ts'
import { CallLink } from './call-link.tsx'

type Related = Explanation['caused'][number]

/** The call that caused this one, and those that it caused. */
export function RelatedView({ explanation }: { readonly explanation: Explanation }) {
  const { caused_by, caused, same_trace, notes } = explanation
  return (
    <>
      <section className="part">
        <h3>Upstream</h3>
        {caused_by ? (
          <RelatedList calls={[caused_by]} />
        ) : (
          <p className="body-note">No call is known that caused this one.</p>
        )}
      </section>
      <section className="part">
        <h3>Downstream</h3>
        {caused.length > 0 ? (
          <RelatedList calls={caused} />
        ) : (
          <p className="body-note">No call is known that the server made to answer this one.</p>
        )}
      </section>
      <section className="part">
        <h3>How they were found</h3>
        {same_trace !== undefined && (
          <p className="body-note">
            By the trace <code>{same_trace}</code>.
          </p>
        )}
        {notes.map((note) => (
          <p key={note} className="body-note">
            {note}
          </p>
        ))}
      </section>
    </>
  )
}

function RelatedList({ calls }: { readonly calls: readonly Related[] }) {
  return (
    <ul className="call-links">
      {calls.map(({ id, what, src, dst, latency_ms, error, inferred }) => (
        <li key={id}>
          <CallLink id={id}>{what}</CallLink>
          <span className="soft">
            {src} to {dst}
            {latency_ms !== undefined && `, ${latency(latency_ms)}`}
            {inferred && ', inferred'}
          </span>
          {error !== undefined && <span className="outcome bad">{error}</span>}
        </li>
      ))}
    </ul>
  )
}
