import { Dissection } from '@tapdeck/dissect'
import { NameIndex } from '@tapdeck/inventory'
import type { Flow } from '@tapdeck/wire'
import { Conversation, concat, ETHERNET, feed, udpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { withTunnelNodes } from './tunnel-nodes.ts'

const nodes = [
  { name: 'n1', ips: ['192.0.2.1'] },
  { name: 'n2', ips: ['192.0.2.2'] },
]
const names = new NameIndex({ pods: [], services: [], nodes })

/** A VXLAN header (RFC 7348, section 5) of network 42. */
const VXLAN = Uint8Array.of(8, 0, 0, 0, 0, 0, 42, 0)

/** A connection whose packets from its client come in a tunnel between two nodes. */
function flowIn(from: string, to: string): Flow {
  const found: Flow[] = []
  const dissection = new Dissection({ emit: () => {}, opened: (flow) => found.push(flow) })
  const packets = new Conversation({}).handshake().packets.map(({ data, time }, at) => {
    const [src, dst] = at % 2 === 0 ? [from, to] : [to, from]
    return { time, data: udpFrame({ src, dst, sport: 5, dport: 4789, payload: concat(VXLAN, data) }) }
  })
  feed(dissection, packets, ETHERNET)
  return found[0]!
}

const peers = { src: { ip: '10.0.0.1', port: 1 }, dst: { ip: '10.0.0.2', port: 2 } }
const nodesIn = (from: string, to: string, side: 0 | 1 = 0, resolver = names) => {
  const { src, dst } = withTunnelNodes(peers, flowIn(from, to), side, resolver)
  return [src.node, dst.node]
}

test('the outer addresses of an overlay give the nodes of ends that have none', () => {
  expect(nodesIn('192.0.2.1', '192.0.2.2')).toEqual(['n1', 'n2'])
  expect(nodesIn('192.0.2.1', '192.0.2.2', 1)).toEqual(['n2', 'n1'])
  expect(nodesIn('192.0.2.1', '192.0.2.9')).toEqual(['n1', undefined])
})

test('what the names say counts more', () => {
  const flow = flowIn('192.0.2.1', '192.0.2.2')
  const known = { src: { ...peers.src, node: 'n9' }, dst: peers.dst }
  expect(withTunnelNodes(known, flow, 0, names)).toMatchObject({ src: { node: 'n9' }, dst: { node: 'n2' } })
  const blocks = nodes.map((node, at) => ({ ...node, podCIDRs: [`10.244.${at}.0/24`] }))
  const ranged = new NameIndex({ pods: [], services: [], nodes: blocks })
  expect(nodesIn('192.0.2.1', '192.0.2.2', 0, ranged)).toEqual([undefined, undefined])
})
