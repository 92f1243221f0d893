/** Below this the difference may just be the `Date` header's whole seconds and the way it travelled. */
const toleranceMs = 2500

let aheadMs = 0

/** Learns from an answer's `Date` header how far the hub's clock is ahead of this browser's. */
export function readHubClock(header: string | null, receivedAt: number): void {
  const sentAt = header === null ? Number.NaN : Date.parse(header)
  if (Number.isNaN(sentAt)) return
  const difference = sentAt - receivedAt
  aheadMs = Math.abs(difference) < toleranceMs ? 0 : difference
}

/** What the hub's clock shows now, so that its `pauses_at` can be counted down on any laptop. */
export function hubNow(): number {
  return Date.now() + aheadMs
}
