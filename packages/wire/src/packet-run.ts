/** How the records of a capture file stand in it, where code can walk them. Little endian, link type Ethernet. */
export const PCAP_US = 0
export const PCAP_NS = 1
export const PCAPNG_US = 2
export const PCAPNG_NS = 3
export type RunFormat = typeof PCAP_US | typeof PCAP_NS | typeof PCAPNG_US | typeof PCAPNG_NS

/** Records of a capture file of which a sink takes as many as it can at once: see `PacketSink.run`. One is reused. */
export class PacketRun {
  data: Uint8Array = new Uint8Array(0)
  /** Where the next record begins: the sink moves it. */
  at = 0
  /** Of pcapng, the interfaces whose packets are like this. */
  interfaces = 0
  /** Somebody wants to know the options of packets. */
  hasNotes = false
  format: RunFormat = PCAP_US
  /** It left a packet of a kind that it will know the next time. */
  hasLearnt = false
  /** Packets that the sink took; the time of the last of them, and where its record begins. */
  packets = 0
  time = 0
  last = 0
}
