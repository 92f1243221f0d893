import type { TcpConnection } from './tcp-connection.ts'
import { ACK, FIN, RST, SYN } from './tcp-flags.ts'
import type { TcpSegment } from './tcp-segment.ts'
import type { TcpSender } from './tcp-sender.ts'

/** A retransmission this soon after the duplicate acknowledgements is a fast one. */
const FAST_US = 20_000
/** An earlier segment that comes this soon was overtaken, not resent; the connection's own round trip is better. */
const OVERTAKEN_US = 3_000

export type Oddity = 'keep-alive' | 'retransmission' | 'overtaken' | undefined

/**
 * Names a segment that is not simply the next one, by the rules that Wireshark documents for tcp.analysis, and
 * counts it. Called before the segment changes what is known of its sender.
 */
export function classify(
  connection: TcpConnection,
  from: TcpSender,
  to: TcpSender,
  segment: TcpSegment,
): Oddity {
  if (!from.known) return undefined
  const { seq, flags, time } = segment
  const payload = segment.length
  const { metrics } = connection
  const behind = (from.max - seq) | 0
  if (behind === 1 && payload <= 1 && (flags & (SYN | FIN | RST)) === 0) {
    metrics.keep_alive++
    return 'keep-alive'
  }
  const length = payload + (flags & SYN ? 1 : 0) + (flags & FIN ? 1 : 0)
  if (behind <= 0 || length === 0) return undefined
  // In a simultaneous open each side repeats its SYN with an acknowledgement.
  if ((flags & (SYN | ACK)) === (SYN | ACK) && !from.acked) return undefined
  const end = (seq + length) | 0
  const spurious = payload > 0 && to.acked && ((end - to.ack) | 0) <= 0
  if (!spurious) {
    if (to.duplicates >= 2 && to.ack === seq && time - to.ackTime < FAST_US) metrics.fast_retransmissions++
    else if (end !== from.max && isOvertaken(connection, time - from.maxTime)) {
      metrics.out_of_order++
      return 'overtaken'
    }
  }
  metrics.retransmissions++
  return 'retransmission'
}

function isOvertaken(connection: TcpConnection, elapsed: number): boolean {
  return elapsed >= 0 && elapsed < (connection.metrics.initial_rtt_us ?? OVERTAKEN_US)
}
