/** linux/if_arp.h */
const ARPHRD_ETHER = 1
const ARPHRD_LOOPBACK = 772

const LINKTYPE_ETHERNET = 1
const LINKTYPE_RAW = 101

/** Ethernet headers are recorded; for other link layers only the IP packet is recorded. */
export function hasEthernetHeader(hardwareType: number): boolean {
  return hardwareType === ARPHRD_ETHER || hardwareType === ARPHRD_LOOPBACK
}

export function isLoopback(hardwareType: number): boolean {
  return hardwareType === ARPHRD_LOOPBACK
}

export function linkType(hardwareType: number): number {
  return hasEthernetHeader(hardwareType) ? LINKTYPE_ETHERNET : LINKTYPE_RAW
}
