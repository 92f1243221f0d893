import { byTime } from './by-time.ts'
import type { Reading } from './reading.ts'

export interface Times {
  readonly from: number
  readonly to: number
}

/** The oldest and the newest call, in Unix milliseconds; undefined without any. */
export async function callTimes(reading: Reading): Promise<Times | undefined> {
  // Two rows at the ends of the order: `min` and `max` would read every time.
  const end = (direction: 'ASC' | 'DESC') =>
    `SELECT c.ts FROM ${reading.calls} AS c WHERE ${reading.ofNode()} ORDER BY ${byTime(direction)} LIMIT 1`
  const [[oldest, newest]] = await reading.connection.rows(`SELECT (${end('ASC')}), (${end('DESC')})`)
  return oldest === null ? undefined : { from: Number(oldest) / 1000, to: Number(newest) / 1000 }
}
