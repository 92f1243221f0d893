// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant
import { useVirtualizer } from '@tanstack/react-virtual'
import type { Ref } from 'react'
import { type KeyboardEvent, useEffect, useId, useImperativeHandle, useRef, useState } from 'react'
import { columns } from '../../columns/index.ts'
import { countOf } from '../../format/amount.ts'
import { isSameDay } from '../../format/time.ts'
import type { CallFeed } from '../../live/call-feed.ts'
import { useStore } from '../../live/use-store.ts'
import { Icon } from '../../ui/icon.tsx'
import { useWidth } from '../../ui/use-width.ts'
import { CallRow } from './call-row.tsx'
import { GridEnd } from './grid-end.tsx'
import { gridShape } from './grid-shape.ts'
import { stepOf } from './grid-step.ts'

export interface CallGridHandle {
  focus(): void
  move(event: { readonly key: string }): boolean
}

export interface CallGridProps {
  readonly feed: CallFeed
  /** The call whose details are open. */
  readonly openId: string | undefined
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
  readonly handle: Ref<CallGridHandle>
}

const oneLinePx = 27
const twoLinesPx = 48

/** The calls, newest on top. While the user reads further down or has selected a row, the rows stay in place. */
export function CallGrid({ feed, openId, onOpen, onClose, handle }: CallGridProps) {
  useStore(feed.version)
  const list = feed.list
  const idPrefix = useId()
  const grid = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const oldest = list.at(list.length - 1)
  const isDated = oldest !== undefined && !isSameDay(oldest.ts, Date.now())
  const shape = gridShape(width, isDated)
  const rowPx = shape === ' narrow' ? twoLinesPx : oneLinePx
  const [cursor, setCursor] = useState<string>()
  const [isAtTop, setIsAtTop] = useState(true)
  const cursorRow = cursor === undefined ? -1 : list.rowOf(cursor)

  const virtualizer = useVirtualizer({
    count: list.length,
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
  const isNearEnd = list.length > 0 && lastRow >= list.length - 30
  const wantsOlder = isNearEnd && feed.hasOlder && !feed.isLoadingOlder && feed.phase !== 'failed'
  // Each time: a page that came quickly and brought no new row leaves all of this as it was, and is not the last.
  useEffect(() => {
    if (wantsOlder) void feed.loadOlder()
  })

  const toTop = () => {
    setCursor(undefined)
    list.release()
    virtualizer.scrollToOffset(0)
    feed.changed()
  }

  const moveTo = (row: number) => {
    const call = list.at(row)
    if (!call) return
    setCursor(call.id)
    virtualizer.scrollToIndex(row)
    if (openId !== undefined) onOpen(call.id)
  }

  /** The oldest call there is, not the oldest that is loaded. The search of a recording ring is asked for by hand. */
  const moveToEnd = async () => {
    moveTo(list.length - 1)
    if (feed.db === 'recording') return
    await feed.loadAll()
    moveTo(list.length - 1)
  }

  const move = (event: { readonly key: string }): boolean => {
    if ((event.key === 'G' || event.key === 'End') && feed.hasOlder) {
      void moveToEnd()
      return true
    }
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1)
    const row = stepOf(event.key, cursorRow, list.length, pageRows)
    if (row === undefined) return false
    moveTo(row)
    return true
  }

  useImperativeHandle(handle, () => ({ focus: () => grid.current?.focus(), move }))

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if ((event.key === 'Enter' || event.key === ' ') && cursor !== undefined) onOpen(cursor)
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
        role="grid"
        className={`grid${shape}${isDated ? ' dated' : ''}`}
        tabIndex={0}
        aria-label="Calls, newest first"
        aria-rowcount={list.length + 1}
        aria-activedescendant={cursorRow >= 0 ? `${idPrefix}${cursor}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="row" className="grid-head" aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column.id} role="columnheader" className={`cell ${column.id}`}>
              {column.title}
            </div>
          ))}
        </div>
        <div
          ref={scroller}
          className="grid-body"
          role="rowgroup"
          tabIndex={0}
          onScroll={(event) => setIsAtTop(event.currentTarget.scrollTop < rowPx / 2)}
        >
          <div role="presentation" className="grid-rows" style={{ height: virtualizer.getTotalSize() }}>
            {rows.map(({ index, start }) => {
              const call = list.at(index)
              return (
                call && (
                  <CallRow
                    key={call.id}
                    call={call}
                    id={`${idPrefix}${call.id}`}
                    row={index}
                    top={start}
                    isCursor={index === cursorRow}
                    isOpen={call.id === openId}
                    onOpen={open}
                  />
                )
              )
            })}
          </div>
          {list.length > 0 && <GridEnd feed={feed} />}
        </div>
      </div>
    </>
  )
}
