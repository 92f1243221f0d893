import { go, useAddress } from '../../address/use-address.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { count, countOf } from '../../format/amount.ts'
import { clockTime, dateTime } from '../../format/time.ts'
import type { CallFeed } from '../../live/call-feed.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { lastWindow, type TimeWindow } from '../../time/time-window.ts'
import { Icon } from '../../ui/icon.tsx'
import { MissingNodes } from '../../ui/missing-nodes.tsx'

/** How many calls there are, and what the list does not show. */
export function ListNote({ feed }: { readonly feed: CallFeed }) {
  const session = useSession()
  const { last } = useAddress()
  const isStreaming = useStore(session.isStreaming)
  const isPaused = useStore(session.switch)?.enabled === false
  const { isLive } = feed
  const shown = feed.list.length
  const { skippedTime } = feed
  return (
    <p className="list-note" role="status">
      {feed.phase === 'loading' && shown === 0 ? 'Loading…' : <span>{total(feed, shown)}</span>}
      {feed.searchedFrom !== undefined && (
        <span>
          searched back to{' '}
          <time dateTime={new Date(feed.searchedFrom).toISOString()}>{dateTime(feed.searchedFrom)}</time>
        </span>
      )}
      {isLive && feed.isFull && (
        <button type="button" className="text-link" onClick={() => go(lastWindow(last, Math.ceil(hubNow())))}>
          Show all of the last {last}
        </button>
      )}
      {isLive && !isStreaming && (
        <span className="badge warn">
          <Icon name="pause" size={11} />
          List frozen
        </span>
      )}
      {isLive && isPaused && shown > 0 && (
        <span className="badge warn">Indexing is paused: these are earlier calls</span>
      )}
      {feed.skipped > 0 && (
        <span
          className="badge warn"
          title="They matched, but came faster than they are carried to this page. The index has them: show their time, or narrow the filter."
        >
          <Icon name="warning" size={11} />
          {countOf(feed.skipped, 'call')} skipped
          {skippedTime && ` from ${clockTime(skippedTime.start)} to ${clockTime(skippedTime.end)}`}
        </span>
      )}
      {skippedTime && (
        <button type="button" className="text-link" onClick={() => go(around(skippedTime))}>
          Show that time
        </button>
      )}
      <MissingNodes nodes={feed.missingNodes} />
      {feed.problem && shown > 0 && (
        <span className="badge bad" title={feed.problem.hint}>
          <Icon name="warning" size={11} />
          {feed.problem.message}
        </span>
      )}
    </p>
  )
}

/** The window that has all of a time. */
function around({ start, end }: TimeWindow): TimeWindow {
  return { start: Math.floor(start), end: Math.ceil(end) + 1 }
}

/** A number of rows is never given for the number of calls that there are. */
function total(feed: CallFeed, shown: number): string {
  if (feed.pages) return countOf(feed.pages.length, 'call')
  const hasMore = feed.hasOlder || feed.isFull
  if (!hasMore) return countOf(shown, 'call')
  if (feed.db === 'recording' || !feed.total || feed.total.count <= shown)
    return `${countOf(shown, 'call')} loaded`
  const { count: all, is } = feed.total
  const about = { exact: '', at_least: 'at least ', estimate: 'about ' }[is]
  return `${about}${countOf(all, 'call')}, ${count(shown)} loaded`
}
