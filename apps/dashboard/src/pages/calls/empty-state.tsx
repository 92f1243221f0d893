import { go } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { countOf } from '../../format/amount.ts'
import { Empty } from '../../hints/empty.tsx'
import type { CallFeed } from '../../live/call-feed.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { useTurnSwitch } from '../header/use-turn-switch.ts'
import { sourceChange } from './source-change.ts'

/** No row to show: says why, and what would help. */
export function EmptyState({ feed }: { readonly feed: CallFeed }) {
  const session = useSession()
  const isStreaming = useStore(session.isStreaming)
  const enabled = useStore(session.switch)?.enabled
  const why = feed.whyEmpty
  const { isLive } = feed

  if (feed.problem)
    return (
      <div className="empty">
        <ProblemNote problem={feed.problem}>
          <Button onClick={() => void feed.load()}>Try again</Button>
        </ProblemNote>
      </div>
    )
  if (feed.phase === 'loading')
    return (
      <div className="empty">
        <span className="spinner" />
        <p>{feed.db === 'recording' ? 'Searching the recording ring…' : 'Loading recent calls…'}</p>
      </div>
    )
  if (isLive && enabled === false) return <PausedIndexing detail={feed.kfl ? why?.detail : undefined} />
  if (feed.db === 'recording' && feed.hasOlder)
    return (
      <Empty icon="search" title="Nothing found so far" docs="rewind:budget-and-pages">
        <p>The search stopped here so as not to take too long. Older packets are still to be read.</p>
        <Button icon="search" busy={feed.isLoadingOlder} onClick={() => void feed.loadOlder()}>
          Search further back
        </Button>
      </Empty>
    )
  if (feed.kfl !== '')
    return (
      <Empty icon="search" title="No call matches the filter" docs="kfl">
        {why && why.reason !== 'indexing_paused' && <p>{why.detail}</p>}
        {why?.parts && (why.parts.length > 1 || why.parts.some(({ seen }) => seen)) && (
          <ul className="parts">
            {why.parts.map((part) => (
              <li key={part.kfl}>
                <button
                  type="button"
                  title="Filter by this part alone"
                  onClick={() => go({ kfl: part.kfl, call: undefined })}
                >
                  <code>{part.kfl}</code>
                  <span>{countOf(part.matches, 'call')} alone</span>
                </button>
                {part.seen && <p className="soft">Seen there: {part.seen.join(', ')}</p>}
              </li>
            ))}
          </ul>
        )}
        {isLive && isStreaming && <p className="soft">Calls that match appear here as they happen.</p>}
      </Empty>
    )
  if (isLive && !isStreaming)
    return (
      <Empty icon="pause" title="The list is frozen" docs="dashboard:calls">
        <p>Press Follow live above to see calls as they happen.</p>
      </Empty>
    )
  if (isLive && why?.reason === 'not_captured')
    return (
      <Empty icon="warning" title="No traffic is captured" docs="getting-started:start-it-differently">
        <p>{why.detail}</p>
        <p className="soft">
          Capture files can be looked at all the same: <code>tapdeck import FILE --name NAME</code> makes a
          snapshot of them.
        </p>
      </Empty>
    )
  if (isLive)
    return (
      <Empty icon="wave" title="Waiting for calls" docs="getting-started">
        <p>Indexing is on. Calls appear here as they happen.</p>
        <p className="soft">
          Nothing to look at? <code>npx tapdeck demo</code> runs a small shop in which something breaks after
          two minutes.
        </p>
        {why && why.reason !== 'indexing_paused' && why.reason !== 'no_data' && (
          <p className="soft">{why.detail}</p>
        )}
      </Empty>
    )
  return (
    <Empty
      icon="layers"
      title={
        feed.start !== undefined || feed.db === 'recording'
          ? 'No calls in this window'
          : 'This dissection has no calls'
      }
      docs="missing-data"
    >
      {why && <p>{why.detail}</p>}
    </Empty>
  )
}

function PausedIndexing({ detail }: { readonly detail: string | undefined }) {
  const isIdle = useStore(useSession().switch)?.reason === 'inactivity'
  const { busy, reason, turn } = useTurnSwitch()
  const caller = useCaller()
  const denied = caller.reasonAgainst('dissection:control')
  return (
    <Empty icon="pause" title="Traffic indexing is paused" docs="dashboard">
      {isIdle && (
        <p>
          It paused by itself because no dashboard was open. An open dashboard, a recording or a network agent
          keeps it on.
        </p>
      )}
      <p>
        Packets are still recorded, but nothing is dissected, so no new calls appear.{' '}
        {denied
          ? `${denied} Ask an administrator to resume it.`
          : 'Resume it here or with the green button top left.'}
      </p>
      {detail && <p className="soft">{detail}</p>}
      <div className="choices">
        {!denied && (
          <Button icon="play" busy={busy} reason={reason} onClick={() => turn(true)}>
            Resume indexing
          </Button>
        )}
        {caller.can('snapshot:read') && (
          <Button icon="search" onClick={() => go(sourceChange('recording', hubNow()))}>
            Search the recording ring
          </Button>
        )}
      </div>
    </Empty>
  )
}
