import type { Connections, Evidence } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, percent } from '../statistics.ts'

const MIN_RETRANSMISSIONS = 20
const LOSS_SHARE = 0.02
/** Times the share of the median pair: one bad link, not a bad capture. */
const TIMES = 4

/** Pairs whose packets are sent again and again. */
export function packetLoss({ connections }: Evidence): Finding[] {
  const shares = connections.map(shareOf).sort((a, b) => a - b)
  const isComparable = shares.length > 2
  const median = shares[Math.floor(shares.length / 2)] ?? 0
  return connections.flatMap((one) => {
    const share = shareOf(one)
    const usual = isComparable ? median : 0
    if (one.retransmissions < MIN_RETRANSMISSIONS || share < Math.max(LOSS_SHARE, usual * TIMES)) return []
    const { client, server, retransmissions, packets } = one
    return [
      {
        kind: 'packet_loss',
        score: 52 + 6 * doublings(share / LOSS_SHARE),
        what: `Packets between ${client.name} and ${server.name} are retransmitted`,
        ...(isComparable && { before: `other pairs: ${percent(median)} of packets` }),
        after: `${retransmissions} of ${packets} packets (${percent(share)})`,
        client,
        server,
        selection: { client, server, isResent: true },
        against: ['The counters are of whole connections, also of the time before the window.'],
      },
    ]
  })
}

function shareOf({ retransmissions, packets }: Connections): number {
  return retransmissions / Math.max(packets, 1)
}
