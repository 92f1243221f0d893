import type { Endpoint } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import type { Resolver, SeenNames } from '@tapdeck/inventory'
import type { Owners } from '@tapdeck/recording'
import type { Flow, Side } from '@tapdeck/wire'

/** The two ends of a flow with the names they had at a time (microseconds): the one on `side` first. */
export function namePeers(
  flow: Flow,
  side: Side,
  time: number,
  resolver: Resolver,
  seen: SeenNames,
  owners?: Owners,
): Peers {
  const ms = time / 1000
  return {
    src: named(flow, side, ms, resolver, seen, owners),
    dst: named(flow, side === 0 ? 1 : 0, ms, resolver, seen, owners),
  }
}

function named(
  flow: Flow,
  side: Side,
  ms: number,
  resolver: Resolver,
  seen: SeenNames,
  owners: Owners | undefined,
): Endpoint {
  const { ip, port } = flow.ends[side]
  const dns = seen.name(ip, ms)
  const names = resolver.resolve(ip, port, ms)
  const process = owners?.of(flow, side)
  const peer = dns === undefined ? { ip, port, ...names } : { ip, port, ...names, dns }
  return process === undefined ? peer : { ...peer, process }
}
