// biome-ignore-all lint/a11y/noStaticElementInteractions: it is a grid or a treegrid
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: it is a grid or a treegrid
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant
import { useVirtualizer } from '@tanstack/react-virtual'
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
import { columnsOf, resized } from '../../columns/column-choice.ts'
import { gridShape, gridTracks, leastWidth } from '../../columns/grid-shape.ts'
import { countOf } from '../../format/amount.ts'
import { isSameDay } from '../../format/time.ts'
import type { CallFeed } from '../../live/call-feed.ts'
import { useStore } from '../../live/use-store.ts'
import { Icon } from '../../ui/icon.tsx'
import { useWidth } from '../../ui/use-width.ts'
import { CallRow } from './call-row.tsx'
import { GridEnd } from './grid-end.tsx'
import { GridHead } from './grid-head.tsx'
import { stepOf } from './grid-step.ts'
import { GroupRow } from './group-row.tsx'
import type { ListLook } from './list-look.ts'
import { useListRows } from './use-list-rows.ts'
import { useRowExtras } from './use-row-extras.ts'

export interface CallGridHandle {
  focus(): void
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

const oneLinePx = 27
const twoLinesPx = 48
/** Where added fields are in a third line. */
const threeLinesPx = 68

/** The calls, newest on top. While the user reads further down or has selected a row, the rows stay in place. */
export function CallGrid({ feed, look, onLook, openId, onOpen, onClose, handle }: CallGridProps) {
  useStore(feed.version)
  const list = feed.list
  const idPrefix = useId()
  const grid = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const oldest = list.at(list.length - 1)
  const isDated = oldest !== undefined && !isSameDay(oldest.ts, Date.now())
  const columns = useMemo(() => columnsOf(look.columns), [look.columns])
  const extras = useRowExtras(feed, columns, look)
  const { rows: listed, toggle } = useListRows(feed, look.grouping, extras)
  const shape = gridShape(columns, width, isDated)
  const rowPx = shape !== 'narrow' ? oneLinePx : columns.some(({ asks }) => asks) ? threeLinesPx : twoLinesPx
  const [cursor, setCursor] = useState<string>()
  const [isAtTop, setIsAtTop] = useState(true)
  const cursorRow = cursor === undefined ? -1 : listed.rowOf(cursor)

  const virtualizer = useVirtualizer({
    count: listed.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height makes every measure wrong
  useEffect(() => {
    virtualizer.measure()
  }, [virtualizer, rowPx])

  const mustHold = !isAtTop || cursorRow >= 0
  useEffect(() => {
    if (mustHold) list.hold()
    else list.release()
    feed.changed()
  }, [feed, list, mustHold])

  const rows = virtualizer.getVirtualItems()
  const lastRow = rows.at(-1)?.index ?? -1
  const isNearEnd = listed.length > 0 && lastRow >= listed.length - 30
  const wantsOlder = isNearEnd && feed.hasOlder && !feed.isLoadingOlder && feed.phase !== 'failed'
  // Each time: a page that came quickly and brought no new row leaves all of this as it was, and is not the last.
  useEffect(() => {
    if (wantsOlder) void feed.loadOlder()
  })
  useEffect(() => {
    if (!extras.isNeeded) return
    const seen = rows.flatMap(({ index }) => {
      const row = listed.at(index)
      return row?.kind === 'call' ? [row.call] : []
    })
    // Groups follow from all calls, not from those on the screen.
    extras.want(look.grouping === 'trace' ? list.newest(list.length) : seen)
  })

  const toTop = () => {
    setCursor(undefined)
    list.release()
    virtualizer.scrollToOffset(0)
    feed.changed()
  }

  const moveTo = (row: number) => {
    const target = listed.at(row)
    if (!target) return
    setCursor(target.key)
    virtualizer.scrollToIndex(row)
    if (openId !== undefined && target.kind === 'call') onOpen(target.key)
  }

  /** The oldest call there is, not the oldest that is loaded. The search of a recording ring is asked for by hand. */
  const moveToEnd = async () => {
    moveTo(listed.length - 1)
    if (feed.db === 'recording') return
    await feed.loadAll()
    const last = list.at(list.length - 1)
    if (!last) return
    setCursor(last.id)
    virtualizer.scrollToOffset(Number.MAX_SAFE_INTEGER)
    if (openId !== undefined) onOpen(last.id)
  }

  const move = (event: { readonly key: string }): boolean => {
    if ((event.key === 'G' || event.key === 'End') && feed.hasOlder) {
      void moveToEnd()
      return true
    }
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1)
    const row = stepOf(event.key, cursorRow, listed.length, pageRows)
    if (row === undefined) return false
    moveTo(row)
    return true
  }

  useImperativeHandle(handle, () => ({ focus: () => grid.current?.focus(), move }))

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = listed.at(cursorRow)
    if (target?.kind === 'group' && isFolding(event.key, target.isOpen)) toggle(target.key)
    else if ((event.key === 'Enter' || event.key === ' ') && target?.kind === 'call') onOpen(target.key)
    else if (event.key === 'Escape' && openId !== undefined) onClose()
    else if (event.key === 'Escape' && cursor !== undefined) setCursor(undefined)
    else if (!move(event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  const open = (id: string) => {
    setCursor(id)
    onOpen(id)
  }

  const gridStyle = {
    '--row': `${rowPx}px`,
    ...(shape !== 'narrow' && {
      '--tracks': gridTracks(columns, shape, isDated),
      '--least': `${leastWidth(columns, shape, isDated)}px`,
    }),
  } as CSSProperties
  return (
    <>
      {list.waiting > 0 && (
        <button type="button" className="button primary newcomers" onClick={toTop}>
          <Icon name="up" size={14} />
          {countOf(list.waiting, 'new call')}
        </button>
      )}
      <div
        ref={grid}
        role={look.grouping === 'none' ? 'grid' : 'treegrid'}
        className={`grid ${shape}${isDated ? ' dated' : ''}`}
        style={gridStyle}
        tabIndex={0}
        aria-label="Calls, newest first"
        aria-rowcount={listed.length + 1}
        aria-activedescendant={cursorRow >= 0 ? `${idPrefix}${cursor}` : undefined}
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
            setIsAtTop(currentTarget.scrollTop < rowPx / 2)
            if (head.current) head.current.scrollLeft = currentTarget.scrollLeft
          }}
        >
          <div role="presentation" className="grid-rows" style={{ height: virtualizer.getTotalSize() }}>
            {rows.map(({ index, start }) => {
              const row = listed.at(index)
              if (!row) return null
              const place = {
                id: `${idPrefix}${row.key}`,
                row: index,
                top: start,
                isCursor: index === cursorRow,
              }
              if (row.kind === 'group')
                return (
                  <GroupRow key={row.key} head={row} columns={columns.length} onToggle={toggle} {...place} />
                )
              return (
                <CallRow
                  key={row.key}
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
          </div>
          {list.length > 0 && <GridEnd feed={feed} />}
        </div>
      </div>
    </>
  )
}

/** Whether a key opens or closes the group under the cursor. */
function isFolding(key: string, isOpen: boolean): boolean {
  if (key === 'Enter' || key === ' ') return true
  return key === (isOpen ? 'ArrowLeft' : 'ArrowRight')
}
