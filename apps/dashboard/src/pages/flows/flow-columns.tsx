import { formatBytes } from '@tapdeck/units'
import { go } from '../../address/use-address.ts'
import { count, rate } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { datedTime, utcTime } from '../../format/time.ts'
import type { DataColumn } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Flow, flowFilter, flowPeerName } from './flow-filter.ts'

const none = <span className="soft">–</span>
const microseconds = (value: number | undefined) => (value === undefined ? none : latency(value / 1000))

/** What goes wrong on TCP connections. */
const troubles = [
  ['retransmissions', 'Retransmitted', 'Segments that were sent again'],
  ['out_of_order', 'Out of order', 'Segments that arrived out of order'],
  ['zero_window', 'Zero window', 'Times a receiver closed its window'],
  ['resets', 'Resets', 'RST segments'],
] as const

/** THE list, from left to right. */
export const flowColumns: readonly DataColumn<Flow>[] = [
  {
    id: 'peers',
    title: 'Client and server',
    isText: true,
    of: ({ client, server }) => `${flowPeerName(client)} ${flowPeerName(server)}`,
    render: (flow) => <Peers flow={flow} />,
  },
  {
    id: 'proto',
    title: 'L4',
    isText: true,
    of: ({ proto }) => proto,
    render: ({ proto }) => proto.toUpperCase(),
  },
  {
    id: 'bytes',
    title: 'Bytes',
    of: ({ totals }) => totals.bytes,
    render: ({ totals }) => formatBytes(totals.bytes),
  },
  {
    id: 'sent',
    title: 'To server',
    of: (flow) => flow.client_stats.tx_bytes,
    render: (flow) => formatBytes(flow.client_stats.tx_bytes),
  },
  {
    id: 'received',
    title: 'To client',
    of: (flow) => flow.client_stats.rx_bytes,
    render: (flow) => formatBytes(flow.client_stats.rx_bytes),
  },
  {
    id: 'packets',
    title: 'Packets',
    of: ({ totals }) => totals.pkts,
    render: ({ totals }) => count(totals.pkts),
  },
  {
    id: 'rate',
    title: 'Bytes/s',
    of: ({ totals }) => totals.bps,
    render: ({ totals }) => `${formatBytes(Math.round(totals.bps))}/s`,
  },
  {
    id: 'packet-rate',
    title: 'Packets/s',
    of: ({ totals }) => totals.pps,
    render: ({ totals }) => rate(totals.pps),
  },
  {
    id: 'flows',
    title: 'Flows',
    meaning: 'Connections, or conversations without one, that were added up',
    of: ({ flows }) => flows,
    render: ({ flows }) => (flows === undefined ? none : count(flows)),
  },
  ...troubles.map(
    ([name, title, meaning]): DataColumn<Flow> => ({
      id: name,
      title,
      meaning: `${meaning}, of both directions`,
      of: ({ tcp }) => tcp?.[name],
      // Absent where all are 0.
      render: ({ proto, tcp }) => (proto === 'tcp' ? count(tcp?.[name] ?? 0) : none),
    }),
  ),
  ...(['p50', 'p90', 'p99'] as const).map(
    (name): DataColumn<Flow> => ({
      id: `handshake-${name}`,
      title: `Handshake ${name}`,
      meaning: 'Time of the TCP 3-way handshake',
      of: (flow) => flow.client_stats[`tcp_handshake_${name}_us`],
      render: (flow) => microseconds(flow.client_stats[`tcp_handshake_${name}_us`]),
    }),
  ),
  {
    id: 'last',
    title: 'Last packet',
    of: (flow) => flow.client_stats.timestamp,
    render: ({ client_stats: { timestamp } }) =>
      timestamp === undefined ? (
        none
      ) : (
        <span title={utcTime(timestamp)}>{datedTime(timestamp).slice(0, -4)}</span>
      ),
  },
]

function Peers({ flow }: { readonly flow: Flow }) {
  const kfl = flowFilter(flow)
  const names = (
    <>
      {flowPeerName(flow.client)}
      <Icon name="right" size={12} />
      <span className="unseen"> to </span>
      {flowPeerName(flow.server)}
    </>
  )
  if (!kfl) return <span className="flow-peers">{names}</span>
  return (
    <button
      type="button"
      className="flow-peers"
      title={`Show the calls between them${flow.server.svc ? `. ${flowPeerName(flow.server)} is of the service ${flow.server.svc}` : ''}`}
      onClick={() => go({ view: 'calls', kfl, call: undefined })}
    >
      {names}
    </button>
  )
}
