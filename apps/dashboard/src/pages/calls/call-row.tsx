// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant
import { memo } from 'react'
import type { CompactCall } from '../../client/call-details.ts'
import type { Column, ReadValue } from '../../columns/column.ts'
import { outcomeOf } from '../../columns/outcome.ts'
import type { RuleColor } from './row-extras.ts'

export interface CallRowProps {
  readonly call: CompactCall
  readonly columns: readonly Column[]
  readonly readValue: ReadValue
  /** Moves when values of the row may have come. */
  readonly version: number
  readonly color: RuleColor | undefined
  readonly id: string
  readonly row: number
  readonly top: number
  readonly isCursor: boolean
  readonly isOpen: boolean
  /** It is below the head of a group. */
  readonly isMember: boolean
  readonly onOpen: (id: string) => void
}

export function CallRow(props: CallRowProps) {
  const { call, color, row, isCursor, isOpen, isMember } = props
  const marks = [
    isCursor && 'cursor',
    isOpen && 'open',
    isMember && 'member',
    outcomeOf(call).kind === 'bad' && 'failed',
    color && `rule-${color}`,
  ]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      role="row"
      id={props.id}
      className={['row', ...marks.filter(Boolean)].join(' ')}
      aria-rowindex={row + 2}
      aria-selected={isOpen}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={() => props.onOpen(call.id)}
    >
      <Cells call={call} columns={props.columns} readValue={props.readValue} version={props.version} />
    </div>
  )
}

type CellsProps = Pick<CallRowProps, 'call' | 'columns' | 'readValue' | 'version'>

/** A call does not change, so its cells are made once, however often the row moves; again when added fields have come. */
const Cells = memo(function Cells({ call, columns, readValue }: CellsProps) {
  return columns.map((column) => (
    <div
      key={column.id}
      role="gridcell"
      className={`cell ${column.asks === undefined ? column.id : 'added'}`}
      data-title={column.title}
      title={column.tooltip?.(call, readValue)}
    >
      {column.render(call, readValue)}
    </div>
  ))
})
