import { useEffect, useMemo } from 'react'
import { hub } from '../../client/hub.ts'
import type { Column } from '../../columns/column.ts'
import type { CallFeed } from '../../live/call-feed.ts'
import { useStore } from '../../live/use-store.ts'
import { tracePaths } from './group-name.ts'
import type { ListLook } from './list-look.ts'
import { RowExtras } from './row-extras.ts'

/** Live rows move on meanwhile; more often would keep the hub busy for rows that are gone before they are read. */
const PAUSE_MS = 700

/** The values and colours of the rows of a feed, for as long as it is shown this way. */
export function useRowExtras(feed: CallFeed, columns: readonly Column[], look: ListLook): RowExtras {
  const { grouping, rules } = look
  // Widths change the columns too; only what is asked for counts.
  const asked = [
    ...new Set([...columns.flatMap(({ asks }) => asks ?? []), ...(grouping === 'trace' ? tracePaths : [])]),
  ].join(',')
  const extras = useMemo(
    () =>
      new RowExtras({
        db: feed.db,
        kfl: feed.kfl,
        paths: asked === '' ? [] : asked.split(','),
        rules,
        fetchRows: async (query) => (await hub.calls(query)).calls,
        wait: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
      }),
    [feed, asked, rules],
  )
  useEffect(() => () => extras.close(), [extras])
  useStore(extras.version)
  return extras
}
