import { be16, be32, concat, frame, ip, udpDatagram } from './packet-builder.ts'

export const TUNNELS = ['vxlan', 'geneve', 'gre', 'ipip'] as const
export type TunnelKind = (typeof TUNNELS)[number]

/** An Ethernet frame as the nodes `from` and `to` send it through a tunnel. */
export function encapsulate(inner: Uint8Array, kind: TunnelKind, from: string, to: string): Uint8Array {
  const packet = inner.slice(14)
  const overUdp = (port: number, payload: Uint8Array) =>
    frame(ip(from, to, 17, udpDatagram({ src: from, dst: to, sport: 50_001, dport: port, payload }), 7))
  switch (kind) {
    case 'vxlan':
      return overUdp(8472, concat(Uint8Array.of(8, 0, 0, 0), be32(1 << 8), inner))
    case 'geneve':
      return overUdp(6081, concat(Uint8Array.of(0, 0), be16(0x6558), be32(1 << 8), inner))
    case 'gre':
      return frame(ip(from, to, 47, concat(be16(0), be16(0x0800), packet), 7))
    case 'ipip':
      return frame(ip(from, to, 4, packet, 7))
  }
}
