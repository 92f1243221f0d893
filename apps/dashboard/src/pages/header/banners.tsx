import type { NodeReport } from '../../live/session.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'

/** Warnings that shown data may be incomplete: a lost connection, nodes that do not capture or do not record. */
export function Banners() {
  const session = useSession()
  const connection = useStore(session.connection)
  const nodes = useStore(session.nodes)
  const isWaiting = connection.kind === 'waiting'
  useNow(500, isWaiting)
  if (isWaiting || (connection.kind === 'connecting' && connection.attempt > 0)) {
    const seconds = isWaiting ? Math.max(0, Math.ceil((connection.retryAt - Date.now()) / 1000)) : 0
    return (
      <div className="banner bad" role="status">
        <Icon name="warning" />
        <p className="grow">
          The connection to the hub is lost. What you see is not moving.{' '}
          <span aria-hidden="true">{seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…'}</span>
        </p>
        <Button onClick={() => session.retryNow()}>Try now</Button>
      </div>
    )
  }
  const mute = nodes.filter(
    ({ connected, capture, recorder, indexer }) =>
      !connected || !capture.active || recorder?.recording === false || indexer?.paused,
  )
  if (connection.kind !== 'open' || mute.length === 0) return null
  return (
    <div className="banner warn" role="status">
      <Icon name="warning" />
      <ul className="grow">
        {mute.slice(0, 3).map((node) => (
          <li key={node.name}>
            <b>{node.name}</b> {stateOf(node)}
          </li>
        ))}
        {mute.length > 3 && <li>and {mute.length - 3} more nodes</li>}
      </ul>
    </div>
  )
}

function stateOf({ connected, capture, recorder, indexer }: NodeReport): string {
  if (!connected) return 'is not connected to the hub; its traffic is missing.'
  if (!capture.active) return `does not capture: ${capture.reason ?? 'no reason given'}`
  if (recorder?.recording === false) return `does not record: ${recorder.reason ?? 'no reason given'}`
  return `does not index: ${indexer?.reason ?? 'no reason given'}`
}
