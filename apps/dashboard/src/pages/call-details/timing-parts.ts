import type { CallDetails } from '../../client/call-details.ts'

/** One stretch of the time of a call. */
export interface TimingPart {
  readonly id: 'network' | 'waiting' | 'receiving'
  readonly title: string
  readonly ms: number
  /** 0 to 1, of the whole time. */
  readonly from: number
  readonly share: number
}

/** How the time of a call went. Network time is known where the nodes of both ends have recorded the call. */
export function timingParts(
  call: Pick<CallDetails, 'latency_ms' | 'ttfb_ms' | 'both_ends'>,
): readonly TimingPart[] {
  const { latency_ms: whole, ttfb_ms, both_ends } = call
  if (whole === undefined || whole <= 0) return []
  const waiting = ttfb_ms === undefined ? whole : Math.min(ttfb_ms, whole)
  const network = Math.min(Math.max(both_ends?.network_ms ?? 0, 0), waiting)
  const lengths = [
    ['network', 'Network', network],
    [
      'waiting',
      network > 0 ? 'Server, until the first byte' : 'Waiting for the first byte',
      waiting - network,
    ],
    ['receiving', 'Receiving the rest', whole - waiting],
  ] as const
  let from = 0
  return lengths.flatMap(([id, title, ms]) => {
    if (ms <= 0) return []
    const part = { id, title, ms, from, share: ms / whole }
    from += part.share
    return [part]
  })
}
