// biome-ignore-all lint/a11y/noStaticElementInteractions: it is a grid or a treegrid
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: it is a grid or a treegrid
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant
import type { Ref } from 'react'
import {
  type CSSProperties,
  type KeyboardEvent,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ShownDay } from '../../columns/column.ts'
import { columnsOf, resized } from '../../columns/column-choice.ts'
import { gridShape, gridTracks, leastWidth } from '../../columns/grid-shape.ts'
import { isSameDay, isSameYear } from '../../format/time.ts'
import type { CallFeed } from '../../live/call-feed.ts'
import { useStore } from '../../live/use-store.ts'
import { useSize } from '../../ui/use-size.ts'
import { CallRow } from './call-row.tsx'
import { EmptyRow } from './empty-row.tsx'
import { GridEnd } from './grid-end.tsx'
import { GridHead } from './grid-head.tsx'
import { stepOf } from './grid-step.ts'
import { GroupRow } from './group-row.tsx'
import type { ListLook } from './list-look.ts'
import { useListRows } from './use-list-rows.ts'
import { useRowExtras } from './use-row-extras.ts'
import { useRowWindow } from './use-row-window.ts'

export interface CallGridHandle {
  focus(): void
  /** To the newest call, with those that wait. */
  toTop(): void
  move(event: { readonly key: string }): boolean
}

export interface CallGridProps {
  readonly feed: CallFeed
  readonly look: ListLook
  readonly onLook: (look: ListLook) => void
  /** The call whose details are open. */
  readonly openId: string | undefined
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
  readonly handle: Ref<CallGridHandle>
}

/** The row that the keyboard is at; its key where it is loaded. */
interface Cursor {
  readonly row: number
  readonly key: string | undefined
}

const oneLinePx = 27
const twoLinesPx = 48
/** Where added fields are in a third line. */
const threeLinesPx = 68

const DAY_CLASSES: Readonly<Record<ShownDay, string>> = { none: '', day: ' dated', year: ' dated with-year' }

/** The calls, newest on top. While the user reads further down or has selected a row, the rows stay in place. */
export function CallGrid({ feed, look, onLook, openId, onOpen, onClose, handle }: CallGridProps) {
  useStore(feed.version)
  const list = feed.list
  const idPrefix = useId()
  const grid = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const size = useSize(scroller)
  const day = shownDay(feed.pages?.oldestTime ?? list.oldestTime)
  const columns = useMemo(() => columnsOf(look.columns), [look.columns])
  const extras = useRowExtras(feed, columns, look)
  const { rows: listed, toggle } = useListRows(feed, look.grouping, extras)
  // Groups are of the newest calls: a call may belong to a group anywhere.
  const pages = look.grouping === 'none' ? feed.pages : undefined
  const shape = gridShape(columns, size?.width, day)
  const rowPx = shape !== 'narrow' ? oneLinePx : columns.some(({ asks }) => asks) ? threeLinesPx : twoLinesPx
  const [cursor, setCursor] = useState<Cursor>()
  // Rows that are not kept have no key, but they do not move either.
  const cursorRow = cursor === undefined ? -1 : pages ? cursor.row : listed.rowOf(cursor.key ?? '')
  const wanted = useRef(-1)
  const view = useRowWindow(scroller, listed.length, rowPx, size?.height ?? 0)

  const mustHold = !view.isAtTop || cursorRow >= 0
  useEffect(() => {
    if (mustHold) list.hold()
    else list.release()
    feed.changed()
  }, [feed, list, mustHold])

  const isNearEnd = listed.length > 0 && view.last >= listed.length - 30
  const wantsOlder = !pages && isNearEnd && feed.hasOlder && !feed.isLoadingOlder && feed.phase !== 'failed'
  // Each time: a page that came quickly and brought no new row leaves all of this as it was, and is not the last.
  useEffect(() => {
    if (wantsOlder) void feed.loadOlder()
    pages?.show(view.first, view.last)
  })
  useEffect(() => {
    if (!extras.isNeeded) return
    const seen = view.rows.flatMap((index) => {
      const row = listed.at(index)
      return row?.kind === 'call' ? [row.call] : []
    })
    // Groups follow from all calls, not from those on the screen.
    extras.want(look.grouping === 'trace' ? list.newest(list.length) : seen)
  })

  const toTop = () => {
    setCursor(undefined)
    list.release()
    view.showRow(0)
    feed.changed()
  }

  const moveTo = (row: number) => {
    const target = listed.at(row)
    wanted.current = row
    if (!target && !pages) return
    setCursor({ row, key: target?.key })
    view.showRow(row)
    if (openId === undefined) return
    if (target?.kind === 'call') onOpen(target.key)
    else if (!target) void openWhenLoaded(row)
  }

  const openWhenLoaded = async (row: number) => {
    const call = await pages?.load(row)
    if (call && wanted.current === row) onOpen(call.id)
  }

  /** The oldest call there is, not the oldest that is loaded. The search of a recording ring is asked for by hand. */
  const moveToEnd = async () => {
    moveTo(listed.length - 1)
    if (feed.db === 'recording') return
    await feed.loadAll()
    const last = list.at(list.length - 1)
    if (!last) return
    setCursor({ row: list.length - 1, key: last.id })
    view.showRow(list.length - 1)
    if (openId !== undefined) onOpen(last.id)
  }

  const move = (event: { readonly key: string }): boolean => {
    if ((event.key === 'G' || event.key === 'End') && !pages && feed.hasOlder) {
      void moveToEnd()
      return true
    }
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1)
    const row = stepOf(event.key, cursorRow, listed.length, pageRows)
    if (row === undefined) return false
    moveTo(row)
    return true
  }

  useImperativeHandle(handle, () => ({ focus: () => grid.current?.focus(), toTop, move }))

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = listed.at(cursorRow)
    if (target?.kind === 'group' && isFolding(event.key, target.isOpen)) toggle(target.key)
    else if ((event.key === 'Enter' || event.key === ' ') && target?.kind === 'call') onOpen(target.key)
    else if (event.key === 'Enter' && pages && cursorRow >= 0) void openWhenLoaded(cursorRow)
    else if (event.key === 'Escape' && openId !== undefined) onClose()
    else if (event.key === 'Escape' && cursor !== undefined) setCursor(undefined)
    else if (!move(event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  const open = (id: string) => {
    const row = listed.rowOf(id)
    wanted.current = row
    setCursor({ row, key: id })
    onOpen(id)
  }

  const rowId = (row: number) => `${idPrefix}${row}`
  const gridStyle = {
    '--row': `${rowPx}px`,
    ...(shape !== 'narrow' && {
      '--tracks': gridTracks(columns, shape, day),
      '--least': `${leastWidth(columns, shape, day)}px`,
    }),
  } as CSSProperties
  return (
    <div
      ref={grid}
      role={look.grouping === 'none' ? 'grid' : 'treegrid'}
      className={`grid ${shape}${DAY_CLASSES[day]}`}
      style={gridStyle}
      tabIndex={0}
      aria-label="Calls, newest first"
      aria-rowcount={listed.length + 1}
      aria-activedescendant={cursorRow >= 0 ? rowId(cursorRow) : undefined}
      onKeyDown={onKeyDown}
    >
      <GridHead
        columns={columns}
        handle={head}
        onWidth={(id, px) => onLook({ ...look, columns: resized(look.columns, id, px) })}
      />
      <div
        ref={scroller}
        className="grid-body"
        role="rowgroup"
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          view.onScroll()
          if (head.current) head.current.scrollLeft = currentTarget.scrollLeft
        }}
      >
        <div role="presentation" className="grid-rows" style={{ height: view.height }}>
          {view.rows.map((index) => {
            const row = listed.at(index)
            const place = {
              id: rowId(index),
              row: index,
              top: view.placeOf(index),
              isCursor: index === cursorRow,
            }
            if (!row) return <EmptyRow key={index} columns={columns.length} {...place} />
            if (row.kind === 'group')
              return (
                <GroupRow key={row.key} head={row} columns={columns.length} onToggle={toggle} {...place} />
              )
            return (
              <CallRow
                key={pages ? index : row.key}
                call={row.call}
                columns={columns}
                readValue={extras.readValue}
                version={extras.has(row.key) ? 1 : 0}
                color={extras.colorOf(row.key)}
                isOpen={row.key === openId}
                isMember={row.isMember}
                onOpen={open}
                {...place}
              />
            )
          })}
          {list.length > 0 && view.last >= listed.length - 1 && (
            <GridEnd feed={feed} isAll={pages !== undefined} top={view.placeOf(listed.length)} />
          )}
        </div>
      </div>
    </div>
  )
}

function shownDay(oldest: number | undefined, now = Date.now()): ShownDay {
  if (oldest === undefined || isSameDay(oldest, now)) return 'none'
  return isSameYear(oldest, now) ? 'day' : 'year'
}

/** Whether a key opens or closes the group under the cursor. */
function isFolding(key: string, isOpen: boolean): boolean {
  if (key === 'Enter' || key === ' ') return true
  return key === (isOpen ? 'ArrowLeft' : 'ArrowRight')
}
