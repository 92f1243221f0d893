import { count } from '../../format/amount.ts'
import type { CallFeed } from '../../live/call-feed.ts'

/** What stands below the last row: more to come, all there is, or as much as the page keeps. */
export function GridEnd({ feed }: { readonly feed: CallFeed }) {
  if (feed.isLoadingOlder || feed.hasOlder) return <p className="grid-end">Loading older calls…</p>
  if (feed.isFull)
    return (
      <p className="grid-end">
        This page keeps {count(feed.list.capacity)} calls.{' '}
        {feed.db === undefined
          ? 'Narrow the filter, or make a snapshot, to look further back.'
          : 'Narrow the filter to look further back.'}
      </p>
    )
  return <p className="grid-end">No older calls.</p>
}
