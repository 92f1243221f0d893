/** Record formats that WebAssembly can walk: little endian, link type Ethernet. */
export const PCAP_US = 0
export const PCAP_NS = 1
export const PCAPNG_US = 2
export const PCAPNG_NS = 3
export type RecordFormat = typeof PCAP_US | typeof PCAP_NS | typeof PCAPNG_US | typeof PCAPNG_NS

/** How a capture file stores its records. */
export interface RecordForm {
  readonly format: RecordFormat
  /** Of pcapng: interfaces below this number have packets of this format. */
  readonly interfaces: number
}
