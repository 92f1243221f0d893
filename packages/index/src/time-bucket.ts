/** Milliseconds. */
const WIDTHS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1000,
)
const MAX_BUCKETS = 120

/** The width of a time bucket in milliseconds: a round one that cuts a span into no more than `limit`. */
export function bucketOf(span: number, limit: number): number {
  // A span that begins within a bucket touches one more than it fills.
  const most = Math.min(limit, MAX_BUCKETS) - 1
  return WIDTHS.find((width) => span / width <= most) ?? WIDTHS[WIDTHS.length - 1]
}
