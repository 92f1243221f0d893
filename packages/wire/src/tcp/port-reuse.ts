import type { TcpConnection } from './tcp-connection.ts'
import { SEEN } from './tcp-flags.ts'
import { COMPLETENESS, END, INITIAL, KNOWN, NEXT, SYN_SEEN } from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** Payload that a SYN may carry (RFC 7413) is acknowledged with it. */
const MAX_SYN_PAYLOAD = 65_536

/** Whether a SYN or SYN-ACK begins another connection between the same ends. */
export function isReuse(
  connection: TcpConnection,
  from: number,
  { seq, ack, syn, acknowledges }: TcpSegment,
): boolean {
  if (!syn) return false
  const { ints } = connection
  if (ints[from + END] & SYN_SEEN) return seq !== ints[from + INITIAL]
  const to = connection.peer(from)
  const asked = (ints[to + END] & SYN_SEEN) !== 0
  if (acknowledges && asked) {
    const answered = (ack - ints[to + INITIAL]) | 0
    return answered < 1 || answered > MAX_SYN_PAYLOAD
  }
  // Both ends opened at once, and neither has answered yet.
  const completeness = ints[connection.both + COMPLETENESS]
  if (asked && (completeness & (SEEN.synAck | SEEN.ack | SEEN.data)) === 0) return false
  // The SYN of this connection, captured late.
  return (ints[from + END] & KNOWN) === 0 || ((seq + 1 - ints[from + NEXT]) | 0) !== 0
}
