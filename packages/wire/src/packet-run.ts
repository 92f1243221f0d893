/** Record formats that WebAssembly can walk: little endian, link type Ethernet. */
export const PCAP_US = 0
export const PCAP_NS = 1
export const PCAPNG_US = 2
export const PCAPNG_NS = 3
export type RunFormat = typeof PCAP_US | typeof PCAP_NS | typeof PCAPNG_US | typeof PCAPNG_NS

/** Records of which a sink takes as many as it can at once: see `PacketSink.run`. One instance is reused. */
export class PacketRun {
  data: Uint8Array = new Uint8Array(0)
  /** Where the next record begins. The sink moves it. */
  at = 0
  /** Of pcapng: interfaces below this number have packets of this format. */
  interfaces = 0
  /** Whether the options of packets are read: then the sink leaves packets with options. */
  hasNotes = false
  format: RunFormat = PCAP_US
  /** The sink left a packet of a connection that it will know the next time. */
  hasLearnt = false
  /** Packets that the sink took; the time of the last of them, and where its record begins. */
  packets = 0
  time = 0
  last = 0
}
