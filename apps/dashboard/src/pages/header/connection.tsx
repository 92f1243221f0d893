import { rate } from '../../format/amount.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'

/** Whether this page hears the hub, and how busy the cluster is. */
export function Connection() {
  const session = useSession()
  const connection = useStore(session.connection)
  const callsPerSecond = useStore(session.rate)
  const enabled = useStore(session.switch)?.enabled
  if (connection.kind === 'stopped') return null
  if (connection.kind !== 'open')
    return (
      <span className="connection off">
        <i />
        {connection.attempt === 0 ? 'Connecting' : 'Disconnected'}
      </span>
    )
  return (
    <span className="connection on" title="The stream to the hub is open.">
      <i />
      {enabled && callsPerSecond !== undefined ? (
        <>
          <b>{rate(callsPerSecond)}</b> calls/s
        </>
      ) : (
        'Connected'
      )}
    </span>
  )
}
