/** IP protocol numbers (IANA), as far as they are followed. */
export const PROTOCOL = {
  hopByHop: 0,
  icmp: 1,
  ipip: 4,
  tcp: 6,
  udp: 17,
  ipv6: 41,
  routing: 43,
  fragment: 44,
  gre: 47,
  authentication: 51,
  icmpv6: 58,
  destination: 60,
  sctp: 132,
  mobility: 135,
  hip: 139,
  shim6: 140,
} as const
