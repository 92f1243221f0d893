/** EtherTypes that are followed, and two results of a link layer without one. */
export const ETHER = {
  ipv4: 0x0800,
  ipv6: 0x86dd,
  vlan: 0x8100,
  /** 802.1ad, and the value that came before it. */
  serviceVlan: 0x88a8,
  oldServiceVlan: 0x9100,
  /** Tags that switches add to frames which they mirror: Cisco VN-Tag, and a timestamp. */
  vnTag: 0x8926,
  timestampTag: 0x8988,
  mpls: 0x8847,
  mplsMulticast: 0x8848,
  transparentEthernet: 0x6558,
  erspan: 0x88be,
  erspan3: 0x22eb,
} as const

/** Well-formed, but not followed. */
export const UNKNOWN = 0
/** The header is broken or was cut. */
export const BROKEN = -1
