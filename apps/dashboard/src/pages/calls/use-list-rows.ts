import { useCallback, useMemo, useState } from 'react'
import type { CallFeed } from '../../live/call-feed.ts'
import { useStore } from '../../live/use-store.ts'
import { connectionOf, traceOf } from './group-name.ts'
import type { RowGrouping } from './list-look.ts'
import { flatRows, groupedRows, type ListRows } from './list-rows.ts'
import type { RowExtras } from './row-extras.ts'

interface ShownRows {
  readonly rows: ListRows
  /** Opens or closes a group. */
  readonly toggle: (key: string) => void
}

/** The rows of a feed: its calls, or groups of them. */
export function useListRows(feed: CallFeed, grouping: RowGrouping, extras: RowExtras): ShownRows {
  const version = useStore(feed.version)
  const known = useStore(extras.version)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback(
    (key: string) =>
      setOpen((before) => {
        const after = new Set(before)
        if (!after.delete(key)) after.add(key)
        return after
      }),
    [],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the feed and the values change in place; their versions say when
  const rows = useMemo(() => {
    if (grouping === 'none') return flatRows(feed.pages ?? feed.list)
    const nameOf =
      grouping === 'connection' ? connectionOf : (call: { id: string }) => traceOf(call, extras.readValue)
    return groupedRows(feed.list, nameOf, open)
  }, [feed, version, grouping, extras, known, open])
  return { rows, toggle }
}
