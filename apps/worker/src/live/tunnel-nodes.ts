import type { Endpoint, Peers } from '@tapdeck/dissect'
import type { Resolver } from '@tapdeck/inventory'
import type { Flow, Side } from '@tapdeck/wire'

/** Mirror ports are tunnels, too, between addresses that say nothing about the ends. */
const OVERLAY = /^(?:vxlan|geneve|ipip)\b.* (\S+) > (\S+)$/

/**
 * The nodes of ends whose pods are not known, by the outer addresses of the tunnel in which their first packet came. Only
 * the server's node sees that packet in the tunnel, so this counts only where the ends' own addresses decide nothing.
 */
export function withTunnelNodes(peers: Peers, flow: Flow, side: Side, resolver: Resolver): Peers {
  if (flow.tunnel === undefined || flow.transport !== 'tcp' || flow.midstream) return peers
  if ((peers.src.node !== undefined && peers.dst.node !== undefined) || resolver.hasRanges) return peers
  const [, source, destination] = OVERLAY.exec(flow.tunnel) ?? []
  if (source === undefined || destination === undefined) return peers
  const nodeAt = (ip: string) => resolver.resolve(ip, 0, flow.start / 1000).node
  const [src, dst] = side === 0 ? [source, destination] : [destination, source]
  return { src: withNode(peers.src, nodeAt(src)), dst: withNode(peers.dst, nodeAt(dst)) }
}

function withNode(end: Endpoint, node: string | undefined): Endpoint {
  return end.node !== undefined || node === undefined ? end : { ...end, node }
}
