import { useState } from 'react'
import { type Grouping, groupings } from '../../address/grouping.ts'
import { go } from '../../address/use-address.ts'
import type { StatsGroup } from '../../client/hub.ts'
import { withClause } from '../../kfl/clause.ts'
import { ProtocolTag } from '../../protocols/protocol-tag.tsx'
import { Icon } from '../../ui/icon.tsx'
import { columnsFor, sortedBy } from './stats-column.ts'

export interface StatsTableProps {
  readonly groups: readonly StatsGroup[]
  readonly by: Grouping
  readonly db: string | undefined
  readonly kfl: string
  /** These are the groups of the question before. */
  readonly isStale: boolean
}

/** Where the figures of a column lead to, besides the group. */
const clauses: Readonly<Record<string, { readonly title: string; readonly kfl: string }>> = {
  errors: { title: 'Show the calls that failed', kfl: 'failed' },
  partial: { title: 'Show the calls of which the capture missed a message', kfl: 'partial' },
}

/** A row a group; its name leads to its calls, its errors to those that failed. */
export function StatsTable({ groups, by, db, kfl, isStale }: StatsTableProps) {
  const [sortId, setSortId] = useState('calls')
  const columns = columnsFor(groups)
  const sort = columns.find((column) => column.id === sortId)
  const title = groupings.find(([name]) => name === by)?.[1] ?? by
  const open = (parts: readonly string[]) =>
    go({ view: 'calls', db, kfl: parts.reduce(withClause, kfl), call: undefined })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`stats-table${isStale ? ' stale' : ''}`} tabIndex={0} aria-label="Figures">
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={`of-${column.id}`}
                aria-sort={column.id === sortId ? 'descending' : undefined}
              >
                <button type="button" title={column.meaning} onClick={() => setSortId(column.id)}>
                  {column.id === sortId && <Icon name="down" size={11} />}
                  {column.title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(sort ? sortedBy(groups, sort) : groups).map((group) => {
            const own = group.kfl === undefined ? [] : [group.kfl]
            return (
              <tr key={`${group.group} ${group.ns ?? ''}`}>
                <th scope="row">
                  <button type="button" title="Show its calls" onClick={() => open(own)}>
                    {by === 'proto' ? <ProtocolTag name={group.group} /> : group.group}
                  </button>
                  {group.ns !== undefined && <span className="namespace">{group.ns}</span>}
                </th>
                {columns.map((column) => {
                  const value = column.of(group)
                  const text = value === undefined ? '–' : column.text(value)
                  const clause = value ? clauses[column.id] : undefined
                  return (
                    <td key={column.id} className={`of-${column.id}${value ? '' : ' zero'}`}>
                      {clause ? (
                        <button type="button" title={clause.title} onClick={() => open([...own, clause.kfl])}>
                          {text}
                        </button>
                      ) : (
                        text
                      )}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
