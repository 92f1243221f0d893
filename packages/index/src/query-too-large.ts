/** A query that would have taken more memory, or more room on disk, than a query may have. Nothing else suffered. */
export class QueryTooLarge extends Error {
  override readonly name = 'QueryTooLarge'
  readonly hint = 'Narrow the time window or the filter, or group by something with fewer values.'
}
