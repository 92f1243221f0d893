/** A time is never NaN. But ClickHouse reads a number with a fraction backwards, in its order, only if NaN comes first. */
export function byTime(direction: 'ASC' | 'DESC'): string {
  return direction === 'ASC' ? 'c.ts ASC' : 'c.ts DESC NULLS FIRST'
}

/** Parts of the table that are older than what is wanted are not opened. */
export const IN_ORDER = 'read_in_order_use_virtual_row = 1'
