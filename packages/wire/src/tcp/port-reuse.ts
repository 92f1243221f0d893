import type { TcpConnection } from './tcp-connection.ts'
import { ACK, SEEN, SYN } from './tcp-flags.ts'
import { COMPLETENESS, END, INITIAL, KNOWN, NEXT, SYN_SEEN } from './tcp-row.ts'

/** Payload that a SYN may carry (RFC 7413) is acknowledged with it. */
const MAX_SYN_PAYLOAD = 65_536

/** Whether a SYN or SYN-ACK begins another connection between the same ends. */
export function isReuse(
  connection: TcpConnection,
  from: number,
  seq: number,
  ack: number,
  flags: number,
): boolean {
  if ((flags & SYN) === 0) return false
  const { ints } = connection
  if (ints[from + END] & SYN_SEEN) return seq !== ints[from + INITIAL]
  const to = connection.peer(from)
  const asked = (ints[to + END] & SYN_SEEN) !== 0
  if (flags & ACK && asked) {
    const answered = (ack - ints[to + INITIAL]) | 0
    return answered < 1 || answered > MAX_SYN_PAYLOAD
  }
  // Both ends opened at once, and neither has answered yet.
  const completeness = ints[connection.both + COMPLETENESS]
  if (asked && (completeness & (SEEN.synAck | SEEN.ack | SEEN.data)) === 0) return false
  // The SYN of this connection, captured late.
  return (ints[from + END] & KNOWN) === 0 || ((seq + 1 - ints[from + NEXT]) | 0) !== 0
}
