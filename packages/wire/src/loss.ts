/**
 * The ledger of what was lost or damaged between the wire and the calls. Loss is data: it travels with each
 * result. Counters only grow; a missing key means that nothing was lost there.
 */
export interface Loss {
  /** Packets the kernel dropped before we read them. */
  kernel_drops?: number
  /** Packets we dropped because a queue of ours was full. */
  queue_drops?: number
  /** Packets that were recorded but not dissected, because dissection fell behind. */
  skipped_packets?: number
  /** Packets shorter in the capture than on the wire. */
  cut_packets?: number
  /** Packets whose headers made no sense. */
  malformed_packets?: number
  /** Link types, ethertypes or IP protocols that are not followed. */
  unknown_packets?: number
  /** Damaged or foreign blocks of a capture file, and bytes after its last whole packet. */
  damaged_blocks?: number
  truncated_file?: number
  /** Holes in TCP streams, and the bytes in them. */
  gaps?: number
  gap_bytes?: number
  /** Segments or fragments dropped because a reassembly buffer reached its ceiling. */
  reassembly_overflow?: number
  fragments_expired?: number
  /** Flows closed early because the flow table reached its ceiling. */
  evicted_flows?: number
  /** Messages that a protocol could not read; its flow was handed back to tcp or udp. */
  malformed_messages?: number
  /** Bytes skipped while a protocol looked for its next message after a gap. */
  resync_bytes?: number
  /** Payload bytes beyond the kept part of a body. */
  truncated_bodies?: number
  /** Requests given up because too many of their connection waited for a response. */
  pending_overflow?: number
  /** Bytes of messages not kept because all connections together had reached their ceiling. */
  buffer_overflow?: number
  /** Calls and states of flows that an index could not write, and calls that it keeps without their payloads. */
  unwritten_calls?: number
  unwritten_flows?: number
  unwritten_payloads?: number
}

/** Several ledgers as one, by name: the same whichever of them counted what. */
export function sumLoss(ledgers: Iterable<Loss>): Loss {
  const sum = new Map<string, number>()
  for (const ledger of ledgers)
    for (const [key, count] of Object.entries(ledger)) sum.set(key, (sum.get(key) ?? 0) + count)
  return Object.fromEntries([...sum].sort(([a], [b]) => (a < b ? -1 : 1)))
}
