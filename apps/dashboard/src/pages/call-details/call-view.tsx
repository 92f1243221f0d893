import { lazy, Suspense } from 'react'
import type { CallTab } from '../../address/call-tab.ts'
import type { CallDetails } from '../../client/call-details.ts'
import { useExplanation } from '../../client/use-hub.ts'
import { protocolLook } from '../../protocols/index.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { ConnectionView } from './connection-view.tsx'
import { EventsView } from './events-view.tsx'
import { MessageView } from './message-view.tsx'
import { whyMissing } from './missing-message.ts'
import { OverviewView } from './overview-view.tsx'
import { RelatedView } from './related-view.tsx'
import { TimingView } from './timing-view.tsx'

const PacketsView = lazy(async () => ({ default: (await import('./packets-view.tsx')).PacketsView }))

/** Protocols whose path is a statement. */
const SQL: readonly string[] = ['postgresql', 'mysql', 'cassandra']
/** Calls that a user only passes by with the arrow keys are not explained. */
const RESTS_MS = 250

export interface CallViewProps {
  readonly call: CallDetails
  readonly db: string | undefined
  readonly tab: CallTab
}

/** The part of the details of a call that is chosen. */
export function CallView({ call, db, tab }: CallViewProps) {
  const look = protocolLook(call.proto)
  const missing = whyMissing(call)
  switch (tab) {
    case 'request':
      return (
        <MessageView
          title={look.request}
          name="request"
          message={call.request}
          missing={missing}
          statement={SQL.includes(call.proto) ? call.path : undefined}
        />
      )
    case 'response':
      return <MessageView title={look.response} name="response" message={call.response} missing={missing} />
    case 'connection':
      return <ConnectionView call={call} db={db} />
    case 'events':
      return <EventsView call={call} />
    case 'packets':
      return (
        <Suspense fallback={<p className="body-note">Loading…</p>}>
          <PacketsView key={call.id} call={call} db={db} />
        </Suspense>
      )
    case 'overview':
    case 'timing':
    case 'related':
      return <ExplainedView call={call} db={db} tab={tab} />
  }
}

function ExplainedView({ call, db, tab }: CallViewProps) {
  const { data, error } = useExplanation(useDebounced(call.id, RESTS_MS), db)
  const explanation = data?.id === call.id ? data : undefined
  if (tab === 'overview') return <OverviewView call={call} explanation={explanation} />
  if (tab === 'timing') return <TimingView call={call} explanation={explanation} />
  if (explanation) return <RelatedView explanation={explanation} />
  if (error)
    return (
      <div className="part">
        <ProblemNote problem={error} />
      </div>
    )
  return (
    <section className="part">
      <h3>Upstream and downstream</h3>
      <p className="body-note">
        {db === 'recording'
          ? 'The recording ring has no index to search for related calls. Keep and dissect this window to see them.'
          : 'Loading…'}
      </p>
    </section>
  )
}
