const SYN = 0x02
const ACK = 0x10
/** Of a frame with an IPv4 header without options. */
const PROTOCOL_AT = 23
const TCP = 6
const TCP_AT = 34

/**
 * Whether no SYN-ACK comes before its SYN. Threads learn from SYNs who follows the views of a connection, so they and a single thread
 * read such packets differently.
 */
export function beginsInOrder(packets: readonly Uint8Array[]): boolean {
  const answered = new Set<number>()
  for (const packet of packets) {
    if (packet.length < TCP_AT + 20 || packet[PROTOCOL_AT] !== TCP) continue
    const view = new DataView(packet.buffer, packet.byteOffset + TCP_AT)
    const flags = view.getUint8(13) & (SYN | ACK)
    if (flags === SYN && answered.has(view.getUint32(4))) return false
    if (flags === (SYN | ACK)) answered.add((view.getUint32(8) - 1) >>> 0)
  }
  return true
}
