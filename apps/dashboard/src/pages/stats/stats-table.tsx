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

const PARTIAL = 'error in ["gap", "midstream", "truncated"]'
const NOT_FAILED = 'error in ["gap", "midstream", "truncated", "unfinished"]'

/** Where a figure of a group leads to. Plain where the group has no calls that need a longer filter. */
function clauseOf(
  column: string,
  group: StatsGroup,
): { readonly title: string; readonly kfl: string } | undefined {
  if (column === 'partial') return { title: 'Show the calls that the capture has only in part', kfl: PARTIAL }
  if (column !== 'errors') return undefined
  const kfl =
    group.capture_errors > 0 ? `has(error) and not (${NOT_FAILED})` : 'has(error) and error != "unfinished"'
  return { title: 'Show the calls that failed', kfl }
}

/** A row a group; its name leads to its calls, its errors to those that failed. */
export function StatsTable({ groups, by, db, kfl, isStale }: StatsTableProps) {
  const [sortId, setSortId] = useState('calls')
  const columns = columnsFor(groups)
  const sort = columns.find((column) => column.id === sortId)
  const title = groupings.find(([name]) => name === by)?.[1] ?? by
  const open = (clauses: readonly string[]) =>
    go({ view: 'calls', db, kfl: clauses.reduce(withClause, kfl), call: undefined })
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
                  const clause = value ? clauseOf(column.id, group) : undefined
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
