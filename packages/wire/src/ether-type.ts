/** EtherTypes that are followed, and the two answers of a link layer that cannot tell one. */
export const ETHER = {
  ipv4: 0x0800,
  ipv6: 0x86dd,
  vlan: 0x8100,
  /** 802.1ad, and the value that came before it. */
  serviceVlan: 0x88a8,
  oldServiceVlan: 0x9100,
  transparentEthernet: 0x6558,
  erspan: 0x88be,
  erspan3: 0x22eb,
} as const

/** Well-formed, but nothing that is followed. */
export const UNKNOWN = 0
/** The header is broken or was cut. */
export const BROKEN = -1
