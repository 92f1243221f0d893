import { type ReactNode, useState } from 'react'
import { Icon } from './icon.tsx'
import { orderRows } from './order-rows.ts'

export interface DataColumn<Row> {
  readonly id: string
  readonly title: string
  /** What the title leaves out. */
  readonly meaning?: string
  /** Texts are to the left and sorted from A; figures to the right and from the largest. */
  readonly isText?: boolean
  /** What it is sorted by; absent where the row has none. */
  of(row: Row): number | string | undefined
  render(row: Row): ReactNode
}

export interface DataTableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly DataColumn<Row>[]
  readonly keyOf: (row: Row) => string
  /** The column that sorts at first; without, the rows keep their order. */
  readonly sortedBy?: string
  readonly isStale?: boolean
}

/** Rows of figures that sort by a click on a title. The first column stays in sight. */
export function DataTable<Row>({ label, rows, columns, keyOf, sortedBy, isStale }: DataTableProps<Row>) {
  const [sortId, setSortId] = useState(sortedBy)
  const sort = columns.find((column) => column.id === sortId)
  const sorted = sort ? orderRows(rows, sort) : rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`stats-table data-table${isStale ? ' stale' : ''}`} tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={column.isText ? 'text' : undefined}
                aria-sort={column.id === sortId ? (column.isText ? 'ascending' : 'descending') : undefined}
              >
                <button type="button" title={column.meaning} onClick={() => setSortId(column.id)}>
                  {column.id === sortId && <Icon name={column.isText ? 'up' : 'down'} size={11} />}
                  {column.title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, at) => {
                const Cell = at === 0 ? 'th' : 'td'
                return (
                  <Cell
                    key={column.id}
                    scope={at === 0 ? 'row' : undefined}
                    className={`${column.isText ? 'text' : ''}${column.of(row) ? '' : ' zero'}`}
                  >
                    {column.render(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
