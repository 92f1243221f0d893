import { type OwnedSide, type Ownership, reportedBy } from '@tapdeck/questions'

interface OwnedSqlOptions {
  /** The column with the node of that end. */
  readonly node: (side: OwnedSide) => string
  /** The node that has this view: a column or a text in quotes. */
  readonly captor: string
  /** The column with the time at which it began, in microseconds. */
  readonly start: string
  /** A number of microseconds. */
  readonly time: (us: number) => string
  quote(text: string): string
}

/** As `ownedFilter`, for rows of a database. */
export function ownedSql(
  { nodes, gaps = [], settled = false }: Ownership,
  { node, captor, start, time, quote }: OwnedSqlOptions,
): string {
  const list = ['NULL', ...nodes.map(quote)].join(', ')
  return reportedBy<string>(
    {
      mine: (side) => `coalesce(${node(side)} = ${captor}, false)`,
      owned: (side) => {
        const missing = gaps.map(
          (gap) =>
            `NOT (${node(side)} = ${quote(gap.node)} AND ${start} BETWEEN ${time(gap.from * 1000)} AND ${time(gap.to * 1000)})`,
        )
        return `coalesce(${[`${node(side)} IN (${list})`, ...missing].join(' AND ')}, false)`
      },
      known: (side) => `${node(side)} IS NOT NULL`,
      both: (one, other) => `(${one} AND ${other})`,
      either: (one, other) => `(${one} OR ${other})`,
      not: (test) => `NOT ${test}`,
    },
    settled,
  )
}
