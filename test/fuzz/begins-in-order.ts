const SYN = 0x02
const ACK = 0x10
/** Of a frame with an IPv4 header without options. */
const PROTOCOL_AT = 23
const TCP = 6
const SOURCE_AT = 26
const TCP_AT = 34

/**
 * Whether each connection begins with its SYN. Threads learn from SYNs who follows the views of a connection, so they and a single
 * thread read packets differently where a SYN-ACK comes before its SYN, where a flow was there before its SYN shows that it is
 * a view of a connection which another thread follows, and where no SYN shows that the smaller port is the client's.
 */
export function beginsInOrder(packets: readonly Uint8Array[]): boolean {
  const answered = new Set<number>()
  /** The ends on which a client's number was seen first, and the last number of two ends. */
  const begun = new Map<number, string>()
  const known = new Map<string, number | undefined>()
  for (const packet of packets) {
    if (packet.length < TCP_AT + 20 || packet[PROTOCOL_AT] !== TCP) continue
    const view = new DataView(packet.buffer, packet.byteOffset)
    const flags = view.getUint8(TCP_AT + 13) & (SYN | ACK)
    const number = view.getUint32(TCP_AT + 4)
    const ends = endsOf(view)
    if (flags === SYN) {
      const first = begun.get(number)
      const isMoved = first !== undefined && first !== ends
      if (answered.has(number) || (isMoved && known.has(ends) && known.get(ends) !== number)) return false
      if (first === undefined) begun.set(number, ends)
      known.set(ends, number)
    } else if (!known.has(ends)) known.set(ends, undefined)
    if (flags === (SYN | ACK)) {
      const client = (view.getUint32(TCP_AT + 8) - 1) >>> 0
      if (!begun.has(client) && view.getUint16(TCP_AT) > view.getUint16(TCP_AT + 2)) return false
      answered.add(client)
    }
  }
  return true
}

/** The same for both directions. */
function endsOf(view: DataView): string {
  const ends = [0, 1].map(
    (end) => `${view.getUint32(SOURCE_AT + 4 * end)} ${view.getUint16(TCP_AT + 2 * end)}`,
  )
  return ends.sort().join(' ')
}
