export type Direction = 'src' | 'dst' | 'either' | 'both'
export type Transport = 'tcp' | 'udp' | 'sctp'
/** Protocols that stand alone as an expression, or before brackets. */
export const PROTOCOLS = [
  'ether',
  'ip',
  'ip6',
  'arp',
  'rarp',
  'tcp',
  'udp',
  'sctp',
  'icmp',
  'icmp6',
  'igmp',
  'pim',
  'vrrp',
  'ah',
  'esp',
] as const
export type Protocol = (typeof PROTOCOLS)[number]

export type Comparison = '=' | '!=' | '>' | '<' | '>=' | '<='
export type Operator = '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>'

/** A number in a comparison: 32 bits, unsigned. */
export type Arithmetic =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'length' }
  | {
      readonly kind: 'bytes'
      readonly protocol: Protocol
      readonly index: Arithmetic
      readonly size: 1 | 2 | 4
    }
  | {
      readonly kind: 'binary'
      readonly operator: Operator
      readonly left: Arithmetic
      readonly right: Arithmetic
    }

/** What an expression says, link layers aside (pcap-filter(7)). Order matters: `vlan` shifts all that follows it. */
export type Expression =
  | { readonly kind: 'all' }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'protocol'; readonly protocol: Protocol }
  | {
      readonly kind: 'host'
      /** Which protocols are looked into; absent: all that carry such an address. */
      readonly layer?: 'ip' | 'ip6' | 'arp' | 'rarp'
      readonly direction: Direction
      /** 4 or 16 bytes. */
      readonly address: Uint8Array
      readonly mask: Uint8Array
    }
  | { readonly kind: 'station'; readonly direction: Direction; readonly address: Uint8Array }
  | {
      readonly kind: 'port'
      readonly transport?: Transport
      readonly direction: Direction
      readonly low: number
      readonly high: number
    }
  | { readonly kind: 'proto'; readonly layer?: 'ether' | 'ip' | 'ip6'; readonly value: number }
  | {
      readonly kind: 'cast'
      readonly cast: 'broadcast' | 'multicast'
      readonly layer: 'ether' | 'ip' | 'ip6'
    }
  | { readonly kind: 'vlan'; readonly id?: number }
  | {
      readonly kind: 'compare'
      readonly comparison: Comparison
      readonly left: Arithmetic
      readonly right: Arithmetic
    }
