import type { TcpConnection } from './tcp-connection.ts'
import { ACK, SEEN, SYN } from './tcp-flags.ts'
import type { TcpSender } from './tcp-sender.ts'

/** Payload that a SYN may carry (RFC 7413) is acknowledged with it. */
const MAX_SYN_PAYLOAD = 65_536

/** Does a SYN or SYN-ACK begin another connection between the same ends, rather than belong to this one? */
export function isReuse(
  connection: TcpConnection,
  from: TcpSender,
  seq: number,
  ack: number,
  flags: number,
): boolean {
  if ((flags & SYN) === 0) return false
  if (from.synSeen) return seq !== from.initial
  const to = connection.peer(from)
  if (flags & ACK && to.synSeen) {
    const answered = (ack - to.initial) | 0
    return answered < 1 || answered > MAX_SYN_PAYLOAD
  }
  // Both ends opened at once, and neither has answered yet.
  const { completeness } = connection.metrics
  if (to.synSeen && (completeness & (SEEN.synAck | SEEN.ack | SEEN.data)) === 0) return false
  // The SYN of this very connection, captured after what it led to.
  return !from.known || ((seq + 1 - from.next) | 0) !== 0
}
