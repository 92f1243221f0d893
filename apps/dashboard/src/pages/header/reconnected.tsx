import { go } from '../../address/use-address.ts'
import { span } from '../../format/duration.ts'
import { timeWindow } from '../../format/time.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** After a lost connection: how long it was lost, and a way to the calls of that time. */
export function Reconnected() {
  const session = useSession()
  const missed = useStore(session.missed)
  if (!missed) return null
  const { start, end } = missed
  return (
    <div className="banner" role="status">
      <Icon name="check" />
      <p className="grow">
        The connection is back. It was lost for {span(Math.max(1000, end - start))}, {timeWindow(start, end)}.
        Calls of that time are in the index, as far as the hub and the workers ran.
      </p>
      <Button
        onClick={() => {
          session.missed.set(undefined)
          go({ view: 'calls', db: undefined, start, end, call: undefined })
        }}
      >
        Show that time
      </Button>
      <Button
        look="bare"
        icon="close"
        label="Close this message"
        onClick={() => session.missed.set(undefined)}
      >
        Close
      </Button>
    </div>
  )
}
