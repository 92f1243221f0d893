// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/useFocusableInteractive: heads do nothing; their edges have the keys
import { type KeyboardEvent, type PointerEvent, type Ref, useState } from 'react'
import type { Column } from '../../columns/column.ts'
import { MIN_COLUMN_PX } from '../../columns/column-choice.ts'

export interface GridHeadProps {
  readonly columns: readonly Column[]
  readonly handle: Ref<HTMLDivElement>
  /** `undefined`: its own width again. */
  readonly onWidth: (id: string, width: number | undefined) => void
}

const STEP_PX = 12

/** The titles of the columns. The right edge of each is dragged, or moved with the arrow keys. */
export function GridHead({ columns, handle, onWidth }: GridHeadProps) {
  return (
    <div ref={handle} role="row" className="grid-head" aria-rowindex={1}>
      {columns.map((column) => (
        <div key={column.id} role="columnheader" className={`cell ${column.id}`} title={column.title}>
          <span className="cut">{column.title}</span>
          <ColumnEdge column={column} onWidth={onWidth} />
        </div>
      ))}
    </div>
  )
}

function ColumnEdge({ column, onWidth }: { column: Column; onWidth: GridHeadProps['onWidth'] }) {
  const [grip, setGrip] = useState<number>()
  const [width, setWidth] = useState<number>()
  const set = (wanted: number) => {
    const next = Math.max(MIN_COLUMN_PX, Math.round(wanted))
    setWidth(next)
    onWidth(column.id, next)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const now = widthOf(event.currentTarget)
    if (event.key === 'ArrowLeft') set(now - STEP_PX)
    else if (event.key === 'ArrowRight') set(now + STEP_PX)
    else if (event.key === 'Home' || event.key === 'Delete') onWidth(column.id, undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setGrip(event.clientX - widthOf(event.currentTarget))
  }
  return (
    <div
      className="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of the column ${column.title}`}
      aria-valuenow={width ?? column.wide.least}
      aria-valuemin={MIN_COLUMN_PX}
      title="Drag to resize, double-click for its own width"
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => grip !== undefined && set(event.clientX - grip)}
      onPointerUp={() => setGrip(undefined)}
      onPointerCancel={() => setGrip(undefined)}
      onDoubleClick={() => onWidth(column.id, undefined)}
    />
  )
}

function widthOf(edge: HTMLElement): number {
  return edge.parentElement?.getBoundingClientRect().width ?? MIN_COLUMN_PX
}
