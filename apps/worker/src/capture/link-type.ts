/** linux/if_arp.h */
const ARPHRD_ETHER = 1
const ARPHRD_LOOPBACK = 772

const LINKTYPE_ETHERNET = 1
const LINKTYPE_RAW = 101

/** Link layers with Ethernet headers are recorded with them; of all others the IP packet is. */
export function hasEthernetHeader(hardwareType: number): boolean {
  return hardwareType === ARPHRD_ETHER || hardwareType === ARPHRD_LOOPBACK
}

export function isLoopback(hardwareType: number): boolean {
  return hardwareType === ARPHRD_LOOPBACK
}

export function linkType(hardwareType: number): number {
  return hasEthernetHeader(hardwareType) ? LINKTYPE_ETHERNET : LINKTYPE_RAW
}
