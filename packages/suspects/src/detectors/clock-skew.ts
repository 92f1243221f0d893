import type { Evidence, PodHeaders } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings } from '../statistics.ts'

/** The header `date` counts in seconds; a packet and its header may be a second or two apart on a busy machine. */
const SKEW_MS = 5000
const MIN_CALLS = 3

/** Pods whose clock differs from that of the capture. Tokens and certificates depend on clocks. */
export function clockSkew({ before, after }: Evidence): Finding[] {
  return after.headers.flatMap((one) => {
    const { clockOffset: offset = 0, calls } = one
    if (calls < MIN_CALLS || Math.abs(offset) < SKEW_MS) return []
    // All clocks are off by the same: then it is the clock of the capture.
    const others = after.headers.filter(
      ({ pod, clockOffset }) => pod !== one.pod && clockOffset !== undefined,
    )
    if (others.length > 0 && others.every(({ clockOffset = 0 }) => Math.abs(clockOffset - offset) < SKEW_MS))
      return []
    return [
      finding(one, offset, before?.headers.find(({ pod }) => pod === one.pod)?.clockOffset, others.length),
    ]
  })
}

function finding(
  { server, pod, proto }: PodHeaders,
  offset: number,
  was: number | undefined,
  others: number,
): Finding {
  const isNew = was !== undefined && Math.abs(was) < SKEW_MS
  const shown = (value: number) =>
    `${(Math.abs(value) / 1000).toFixed(0)} s ${value > 0 ? 'ahead' : 'behind'}`
  return {
    kind: 'clock_skew',
    // One that was always wrong has not become the cause now.
    score: (isNew ? 76 : 44) + 2 * doublings(Math.abs(offset) / SKEW_MS),
    what: `The clock of ${pod} (${server.name}) is ${shown(offset)}: tokens that it signs or checks are refused`,
    ...(was !== undefined && { before: shown(was) }),
    after: shown(offset),
    server,
    selection: { server, proto, pod: { name: pod, ...(server.ns !== undefined && { ns: server.ns }) } },
    against: [
      ...(isNew ? [] : ['It was so before, too, or nothing is known of the time before.']),
      ...(others === 0
        ? ['There is no other pod to compare with: the clock of the capture may be wrong.']
        : []),
      'A response from a cache has the date at which it was made.',
    ],
  }
}
