import type { FullCall } from '@tapdeck/dissect'
import type { Mapping } from '../mapping.ts'
import { flowOf, type OurMessage, type TheirMessage } from '../message.ts'
import { endOf } from '../ours.ts'
import { layersOf, routeOf } from '../packet.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'

const count = (theirs: string, ours: string) => ({
  on: 'request' as const,
  theirs: (nodes: readonly Shown[]) =>
    String(nodes.filter((node) => findAll([node], theirs).length > 0).length),
  ours: `tcp.${ours}`,
})
const flagged = (theirs: string, ours: string) => ({
  on: 'request' as const,
  theirs: (nodes: readonly Shown[]) =>
    String(nodes.filter((node) => firstText([node], theirs) === '1').length),
  ours: `tcp.${ours}`,
})

/** Every TCP connection with what was measured of it, whatever was spoken on it. */
export const tcp: Mapping = {
  protocol: 'tcp',
  dissector: 'tcp',
  read: (packets) => {
    const streams = new Map<string, TheirMessage>()
    for (const packet of packets) {
      const route = routeOf(packet)
      const [layer] = layersOf(packet, 'tcp')
      if (route === undefined || !route.flow.startsWith('tcp') || layer === undefined) continue
      const stream = firstText([layer], 'tcp.stream') ?? ''
      const before = streams.get(stream)
      if (before === undefined)
        streams.set(stream, { flow: route.flow, from: route.flow, time: packet.time, nodes: [layer] })
      else streams.set(stream, { ...before, nodes: [...before.nodes, layer] })
    }
    return [...streams.values()]
  },
  ours: ({ flows }) =>
    flows
      .filter(({ flow }) => flow.transport === 'tcp')
      .sort((one, other) => one.flow.start - other.flow.start)
      .map(({ flow }): OurMessage => {
        const [src, dst] = flow.ends
        const name = flowOf('tcp', endOf(src), endOf(dst))
        const call: FullCall = {
          ...{ id: name, ts: flow.start, src, dst, proto: 'tcp', conn_id: flow.id, flow_id: flow.id },
          ...{ node_id: 'node', capture_source: 'file' },
          ...(flow.tcp === undefined ? {} : { tcp: flow.tcp }),
        }
        return { flow: name, from: name, time: flow.start, is: 'event', call }
      }),
  inOrder: true,
  fields: {
    retransmissions: count('tcp.analysis.retransmission', 'retransmissions'),
    fast_retransmissions: count('tcp.analysis.fast_retransmission', 'fast_retransmissions'),
    duplicate_acks: count('tcp.analysis.duplicate_ack', 'duplicate_acks'),
    out_of_order: count('tcp.analysis.out_of_order', 'out_of_order'),
    zero_window: count('tcp.analysis.zero_window', 'zero_window'),
    window_full: count('tcp.analysis.window_full', 'window_full'),
    keep_alive: count('tcp.analysis.keep_alive', 'keep_alive'),
    resets: flagged('tcp.flags.reset', 'resets'),
    fins: flagged('tcp.flags.fin', 'fins'),
    completeness: {
      on: 'request',
      theirs: (nodes) => findAll(nodes.slice(-1), 'tcp.completeness')[0]?.show,
      ours: 'tcp.completeness',
    },
    initial_rtt: {
      on: 'request',
      theirs: (nodes) => {
        const rtt = findAll(nodes, 'tcp.analysis.initial_rtt')[0]?.show
        return rtt === undefined ? undefined : String(Math.round(Number(rtt) * 1e6))
      },
      ours: 'tcp.initial_rtt_us',
    },
  },
}
