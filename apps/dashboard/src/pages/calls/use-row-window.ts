import { type RefObject, useCallback, useLayoutEffect, useMemo, useReducer, useRef } from 'react'
import { flushSync } from 'react-dom'
import { RowScroll } from './row-scroll.ts'

/** Rows above and below the screen that are drawn as well. */
const OVERSCAN = 5
/** The scroll bar goes where it belongs when it has been still for so long. */
const STILL_MS = 150

export interface RowWindow {
  /** The rows to draw. */
  readonly rows: readonly number[]
  /** The rows on the screen. */
  readonly first: number
  readonly last: number
  /** The height of the element that holds the rows. */
  readonly height: number
  readonly isAtTop: boolean
  /** Where a row is in that element. */
  readonly placeOf: (row: number) => number
  readonly onScroll: () => void
  /** Scrolls so far that a row is on the screen. */
  readonly showRow: (row: number) => void
}

/** Which rows of a long list are drawn: those on the screen and a few around it. All are of the same height. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
  viewPx: number,
): RowWindow {
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0)
  const scroll = useMemo(() => new RowScroll(), [])
  const still = useRef<ReturnType<typeof setTimeout>>(undefined)
  const barTop = scroll.resize(count, rowPx, viewPx)

  const setBar = useCallback(
    (top: number) => {
      if (scroller.current && Math.abs(scroller.current.scrollTop - top) >= 1)
        scroller.current.scrollTop = top
    },
    [scroller],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height move the bar; nothing else does
  useLayoutEffect(() => setBar(barTop), [rowPx])
  useLayoutEffect(() => () => clearTimeout(still.current), [])

  const onScroll = useCallback(() => {
    if (!scroller.current) return
    const before = scroll.seen.first
    const offset = scroll.placeOf(0)
    const wasAtTop = scroll.top < rowPx / 2
    scroll.moved(scroller.current.scrollTop)
    const isAtTop = scroll.top < rowPx / 2
    if (scroll.seen.first !== before || scroll.placeOf(0) !== offset || isAtTop !== wasAtTop) draw()
    clearTimeout(still.current)
    still.current = setTimeout(() => {
      if (Math.abs(scroll.honestBarTop - (scroller.current?.scrollTop ?? 0)) < 1) return
      flushSync(() => {
        setBar(scroll.scrollTo(scroll.top))
        draw()
      })
    }, STILL_MS)
  }, [scroll, scroller, rowPx, setBar])

  const showRow = useCallback(
    (row: number) => {
      flushSync(() => {
        setBar(scroll.scrollTo(scroll.topFor(row)))
        draw()
      })
    },
    [scroll, setBar],
  )

  const { first, last } = scroll.seen
  const from = Math.max(0, first - OVERSCAN)
  const to = Math.min(count - 1, last + OVERSCAN)
  return {
    rows: Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i),
    first,
    last,
    height: scroll.height,
    isAtTop: scroll.top < rowPx / 2,
    placeOf: (row) => scroll.placeOf(row),
    onScroll,
    showRow,
  }
}
