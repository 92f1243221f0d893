// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant

export interface EmptyRowProps {
  readonly id: string
  readonly row: number
  readonly columns: number
  readonly top: number
  readonly isCursor: boolean
}

/** A row whose call is being fetched. */
export function EmptyRow({ id, row, columns, top, isCursor }: EmptyRowProps) {
  return (
    <div
      role="row"
      id={id}
      className={`row unloaded${isCursor ? ' cursor' : ''}`}
      aria-rowindex={row + 2}
      aria-busy
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className="cell" aria-colspan={columns}>
        …
      </div>
    </div>
  )
}
