import { go, useAddress } from '../address/use-address.ts'
import { Empty } from '../hints/empty.tsx'
import { useSession } from '../live/session-context.ts'
import { useStore } from '../live/use-store.ts'
import { Button } from '../ui/button.tsx'
import type { IconName } from '../ui/icon.tsx'
import { useTurnSwitch } from './header/use-turn-switch.ts'
import { noCallsReason } from './no-calls-reason.ts'

export interface NoCallsProps {
  readonly icon: IconName
  /** What the view shows when there are calls, as a sentence. */
  readonly what: string
  readonly docs: string
  readonly db: string | undefined
  /** The filter that the view applies; empty: none. */
  readonly kfl: string
}

/** For views that are made of indexed calls: why there are none, and what would bring some. */
export function NoCalls({ icon, what, docs, db, kfl }: NoCallsProps) {
  const { start } = useAddress()
  const enabled = useStore(useSession().switch)?.enabled
  const { busy, reason: denied, turn } = useTurnSwitch()
  const reason = noCallsReason({ db, kfl, start, enabled })
  return (
    <Empty
      icon={icon}
      title={reason === 'filter' ? 'No call matches the filter' : 'No calls in this time'}
      docs={docs}
    >
      <p>{what}</p>
      {reason === 'filter' && (
        <>
          <p>The filter matches no call of this time.</p>
          <Button icon="close" onClick={() => go({ kfl: '' })}>
            Remove the filter
          </Button>
        </>
      )}
      {reason === 'paused' && (
        <>
          <p>Indexing is paused, so packets are recorded but do not become calls.</p>
          <Button icon="play" busy={busy} reason={denied} onClick={() => turn(true)}>
            Resume indexing
          </Button>
        </>
      )}
      {reason === 'part of a dissection' && (
        <>
          <p>The dissection has no call in this window.</p>
          <Button icon="layers" onClick={() => go({ start: undefined, end: undefined })}>
            Show all of the dissection
          </Button>
        </>
      )}
      {reason === 'window' && (
        <>
          <p>No call was indexed in this window. An older or longer one may have some.</p>
          <Button icon="clock" onClick={() => go({ last: '24h', start: undefined, end: undefined })}>
            Show the last 24 hours
          </Button>
        </>
      )}
      {reason === 'dissection' && (
        <p>
          The dissection has no calls. Its snapshot may have packets of protocols that Tapdeck does not read.
        </p>
      )}
      {reason === 'no traffic' && (
        <p>
          No call was indexed in this time: choose a longer one above. Nothing to look at?{' '}
          <code>npx tapdeck demo</code> runs a small shop in which something breaks after two minutes.
        </p>
      )}
    </Empty>
  )
}
