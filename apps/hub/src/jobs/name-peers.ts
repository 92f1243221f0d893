import type { Endpoint } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import type { Resolver } from '@tapdeck/inventory'
import type { Flow, Side } from '@tapdeck/wire'

/** The two ends of a flow with the names they had at a time (microseconds): the one on `side` first. */
export function namePeers(flow: Flow, side: Side, time: number, resolver: Resolver): Peers {
  return { src: named(flow, side, time, resolver), dst: named(flow, side === 0 ? 1 : 0, time, resolver) }
}

function named(flow: Flow, side: Side, time: number, resolver: Resolver): Endpoint {
  const { ip, port } = flow.ends[side]
  return { ip, port, ...resolver.resolve(ip, port, time / 1000) }
}
