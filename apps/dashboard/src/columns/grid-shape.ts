import type { Column, ShownDay } from './column.ts'

/** How rows are laid out: with wide columns, with narrow ones, or in two lines. */
export type GridShape = 'wide' | 'medium' | 'narrow'

/** Below this a row is in two lines, whatever its columns are; and how much earlier where the list says the day. */
const NARROW_PX = 684
const DAY_PX: Readonly<Record<ShownDay, number>> = { none: 0, day: 34, year: 70 }
const GAPS = { wide: 10, medium: 8 } as const
const PADDING_PX = 24

type OneLine = Exclude<GridShape, 'narrow'>

/** What the columns take at least, with the gaps between them and the padding. */
export function leastWidth(columns: readonly Column[], shape: OneLine, day: ShownDay): number {
  const own = columns.reduce((sum, column) => sum + leastOf(column, shape, day), 0)
  return own + Math.max(0, columns.length - 1) * GAPS[shape] + PADDING_PX
}

/** In a list of this width. Columns that do not fit a list of one line are scrolled to. */
export function gridShape(columns: readonly Column[], width: number | undefined, day: ShownDay): GridShape {
  if (width === undefined || width >= leastWidth(columns, 'wide', day)) return 'wide'
  return width < NARROW_PX + DAY_PX[day] ? 'narrow' : 'medium'
}

/** The value of `grid-template-columns`. */
export function gridTracks(columns: readonly Column[], shape: OneLine, day: ShownDay): string {
  return columns
    .map((column) => {
      const least = `${leastOf(column, shape, day)}px`
      const { share } = column[shape]
      return share === undefined ? least : `minmax(${least}, ${share}fr)`
    })
    .join(' ')
}

function leastOf(column: Column, shape: OneLine, day: ShownDay): number {
  return column[shape].least + (day === 'none' ? 0 : (column.dayPx?.[day] ?? 0))
}
