import { countdown } from '../../format/duration.ts'
import { dateTime } from '../../format/time.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { useNow } from '../../ui/use-now.ts'

/** When inactivity will pause indexing, or since when and by whom it is paused. */
export function SwitchNote() {
  const session = useSession()
  const state = useStore(session.switch)
  const isReachable = useStore(session.isReachable)
  const pausesAt = state?.enabled && state.pauses_at ? Date.parse(state.pauses_at) : undefined
  const now = useNow(500, pausesAt !== undefined)
  if (!state || !isReachable) return null
  if (pausesAt !== undefined)
    return (
      <p
        className="switch-note warn"
        title="No dashboard streams, no recording runs and no network agent is active. Any of them keeps indexing on."
      >
        Pauses in <time dateTime={state.pauses_at ?? ''}>{countdown(pausesAt - now)}</time>
        <span className="wide-only"> except during streaming, recording or a running agent</span>
      </p>
    )
  if (state.enabled) return null
  const since = dateTime(Date.parse(state.since))
  return (
    <p className="switch-note" title={state.reason}>
      Paused {state.reason === 'inactivity' && 'by inactivity '}since{' '}
      <time dateTime={state.since}>{since.slice(11, 16)}</time>
      {state.reason !== 'inactivity' && <span className="wide-only"> by {state.by}</span>}
    </p>
  )
}
