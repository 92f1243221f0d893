import type { Connections, Evidence } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, percent } from '../statistics.ts'

const MIN_RETRANSMISSIONS = 20
const LOSS_SHARE = 0.02
/** Times the share of the median pair: one bad link, not a bad capture. */
const TIMES = 4
const MIN_ZERO_WINDOWS = 3

/** Pairs whose packets are sent again and again, and receivers that accept no more data. */
export function tcpTrouble({ connections }: Evidence): Finding[] {
  const shares = connections.map(shareOf).sort((a, b) => a - b)
  const median = shares[Math.floor(shares.length / 2)] ?? 0
  return connections.flatMap((one) => [...packetLoss(one, median, shares.length), ...zeroWindow(one)])
}

function packetLoss(one: Connections, median: number, pairs: number): Finding[] {
  const share = shareOf(one)
  const usual = pairs > 2 ? median : 0
  if (one.retransmissions < MIN_RETRANSMISSIONS || share < Math.max(LOSS_SHARE, usual * TIMES)) return []
  const { client, server, retransmissions, packets } = one
  return [
    {
      kind: 'packet_loss',
      score: 52 + 6 * doublings(share / LOSS_SHARE),
      what: `Packets between ${client.name} and ${server.name} are retransmitted`,
      ...(pairs > 2 && { before: `other pairs: ${percent(median)} of packets` }),
      after: `${retransmissions} of ${packets} packets (${percent(share)})`,
      client,
      server,
      selection: { client, server },
      against: ['The counters are of whole connections, also of the time before the window.'],
    },
  ]
}

function zeroWindow({ client, server, zeroWindows, requestBytes, responseBytes }: Connections): Finding[] {
  if (zeroWindows < MIN_ZERO_WINDOWS) return []
  // A window is closed by the side that receives more than it reads.
  const receiver = responseBytes > requestBytes ? client : server
  return [
    {
      kind: 'zero_window',
      score: 58 + 4 * doublings(zeroWindows / MIN_ZERO_WINDOWS),
      what: `${receiver.name} reads its data too slowly (zero window, between ${client.name} and ${server.name})`,
      after: `${zeroWindows} zero windows`,
      client,
      server,
      selection: { client, server },
      against: [`That ${receiver.name} is the slow reader is inferred: most bytes go to it.`],
    },
  ]
}

function shareOf({ retransmissions, packets }: Connections): number {
  return retransmissions / Math.max(packets, 1)
}
