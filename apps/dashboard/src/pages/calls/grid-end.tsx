import { count } from '../../format/amount.ts'
import type { CallFeed } from '../../live/call-feed.ts'
import { END_PX } from './row-scroll.ts'

export interface GridEndProps {
  readonly feed: CallFeed
  /** The list has a row for every call. */
  readonly isAll: boolean
  readonly top: number
}

/** What is below the last row: more to come, all there is, or as much as the page keeps. */
export function GridEnd({ feed, isAll, top }: GridEndProps) {
  return (
    <p className="grid-end" style={{ transform: `translateY(${top}px)`, height: END_PX }}>
      {text(feed, isAll)}
    </p>
  )
}

function text(feed: CallFeed, isAll: boolean): string {
  if (isAll) return 'No older calls.'
  if (feed.isLoadingOlder || feed.hasOlder) return 'Loading older calls…'
  if (!feed.isFull) return 'No older calls.'
  const kept = `This list keeps ${count(feed.list.capacity)} calls.`
  return feed.isLive
    ? `${kept} To look further back, choose "Show all of the last …" above the list, or a time.`
    : `${kept} Narrow the filter to look further back.`
}
