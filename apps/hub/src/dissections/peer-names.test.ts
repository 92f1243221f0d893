import { createResolver, SeenNames } from '@tapdeck/inventory'
import { PeerNames } from '@tapdeck/pipeline'
import type { Flow } from '@tapdeck/wire'
import { expect, it } from 'vitest'

const half = () => ({ packets: 0, bytes: 0, goodput: 0, missing: 0 })

function flowOf(id: number, client = '10.0.0.1', server = '10.0.0.2'): Flow & { ends: Flow['ends'] } {
  return {
    id,
    transport: 'tcp',
    ends: [
      { ip: client, port: 4000 },
      { ip: server, port: 80 },
    ],
    midstream: false,
    start: 0,
    last: 0,
    directions: [half(), half()],
    state: undefined,
  }
}

const resolver = createResolver({
  pods: [
    { name: 'old', namespace: 'shop', ips: ['10.0.0.2'], until: 1000 },
    { name: 'new', namespace: 'shop', ips: ['10.0.0.2'], from: 1000 },
  ],
  services: [],
})

it('names both ends, from either side, and gives the same peers while nothing changes', () => {
  const names = new PeerNames(() => resolver, new SeenNames())
  const flow = flowOf(7)
  const peers = names.of(flow, 0, 5)
  expect(peers).toEqual({
    src: { ip: '10.0.0.1', port: 4000 },
    dst: { ip: '10.0.0.2', port: 80, pod: 'old', ns: 'shop' },
  })
  expect(names.of(flow, 1, 5)).toEqual({ src: peers.dst, dst: peers.src })
  expect(names.of(flow, 0, 900_000)).toBe(peers)
})

it('notices that an address has another name by now, or was asked for by one, and back again', () => {
  const seen = new SeenNames()
  const names = new PeerNames(() => resolver, seen)
  const flow = flowOf(7)
  expect(names.of(flow, 0, 999_000).dst.pod).toBe('old')
  expect(names.of(flow, 0, 1_000_000).dst.pod).toBe('new')
  seen.learn('db.example', '10.0.0.2', 1500, 60)
  expect(names.of(flow, 0, 1_600_000).dst).toMatchObject({ pod: 'new', dns: 'db.example' })
  expect(names.of(flow, 0, 500_000).dst).toEqual({ ip: '10.0.0.2', port: 80, pod: 'old', ns: 'shop' })
})

it('notices that a process became known', () => {
  let process: string | undefined
  const names = new PeerNames(() => resolver, new SeenNames(), {
    of: (_flow, side) => (side === 0 ? process : undefined),
  })
  const flow = flowOf(7)
  expect(names.of(flow, 0, 5).src.process).toBeUndefined()
  process = 'curl'
  expect(names.of(flow, 0, 5).src.process).toBe('curl')
})

it('distinguishes flows that share a place, and a flow from itself the other way round', () => {
  const names = new PeerNames(() => resolver, new SeenNames())
  const flow = flowOf(7)
  const other = flowOf(7 + 2 ** 40, '10.0.0.8', '10.0.0.9')
  expect(names.of(flow, 0, 5).src.ip).toBe('10.0.0.1')
  expect(names.of(other, 0, 5).src.ip).toBe('10.0.0.8')
  expect(names.of(flow, 0, 5).src.ip).toBe('10.0.0.1')
  flow.ends = [flow.ends[1], flow.ends[0]]
  expect(names.of(flow, 0, 5).src.ip).toBe('10.0.0.2')
})
