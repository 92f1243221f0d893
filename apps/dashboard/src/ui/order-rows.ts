interface Order<Row> {
  readonly isText?: boolean
  of(row: Row): number | string | undefined
}

/** Texts from A, figures from the largest; rows that have none come last, and equal ones stay in their order. */
export function orderRows<Row>(rows: readonly Row[], { isText, of }: Order<Row>): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: of(row) }))
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined)
      return Number(a.key === undefined) - Number(b.key === undefined)
    return isText ? String(a.key).localeCompare(String(b.key)) : Number(b.key) - Number(a.key)
  })
  return keyed.map(({ row }) => row)
}
