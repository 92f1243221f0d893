import { useId } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useTurnSwitch } from './use-turn-switch.ts'

/** Top left: green play while paused, red stop while active. Everything else on the page may move, this does not. */
export function IndexingButton() {
  const { enabled, busy, reason, isOffline, turn } = useTurnSwitch()
  const reasonId = useId()
  if (enabled === undefined)
    return (
      <button type="button" className="indexing unknown" disabled aria-busy="true">
        <span className="spinner" />
        Traffic Indexing
      </button>
    )
  const label = enabled ? 'Pause Traffic Indexing' : 'Resume Traffic Indexing'
  return (
    <span className="indexing-place" title={reason}>
      <button
        type="button"
        className={`indexing ${enabled ? 'active' : 'paused'}`}
        disabled={reason !== undefined}
        // While the request is under way the focus must not be lost, so it is not `disabled` then.
        aria-disabled={busy || undefined}
        aria-busy={busy || undefined}
        aria-describedby={reason ? reasonId : undefined}
        title={reason}
        onClick={() => turn(!enabled)}
      >
        {busy ? <span className="spinner" /> : <Icon name={enabled ? 'stop' : 'play'} />}
        {label}
      </button>
      {reason && (
        <span id={reasonId} className={`indexing-reason${isOffline ? ' offline' : ''}`}>
          <Icon name="lock" size={13} />
          {reason}
        </span>
      )}
    </span>
  )
}
