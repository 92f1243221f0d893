// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant
import { memo } from 'react'
import type { CompactCall } from '../../client/call-details.ts'
import { columns } from '../../columns/index.ts'
import { outcomeOf } from '../../columns/outcome.ts'

export interface CallRowProps {
  readonly call: CompactCall
  readonly id: string
  readonly row: number
  readonly top: number
  readonly isCursor: boolean
  readonly isOpen: boolean
  readonly onOpen: (id: string) => void
}

export function CallRow({ call, id, row, top, isCursor, isOpen, onOpen }: CallRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      role="row"
      id={id}
      className={`row${isCursor ? ' cursor' : ''}${isOpen ? ' open' : ''}${outcomeOf(call).kind === 'bad' ? ' failed' : ''}`}
      aria-rowindex={row + 2}
      aria-selected={isOpen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onOpen(call.id)}
    >
      <Cells call={call} />
    </div>
  )
}

/** A call does not change, so its cells are made once, however often the row moves. */
const Cells = memo(function Cells({ call }: { readonly call: CompactCall }) {
  return columns.map((column) => (
    <div key={column.id} role="gridcell" className={`cell ${column.id}`} title={column.tooltip?.(call)}>
      {column.render(call)}
    </div>
  ))
})
