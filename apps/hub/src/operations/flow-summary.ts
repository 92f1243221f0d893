import { askMerged, type FlowRow } from '@tapdeck/questions'
import { SourceSet } from '../query/source-set.ts'
import { answerNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import { requireValidWindow } from './require-valid-window.ts'

const MAX_FLOWS = 10_000
const TOP = 10

export const getL4FlowSummary: Handler<'get_l4_flow_summary'> = async (
  { db, start, end },
  services,
  { caller },
) => {
  requireValidWindow({ start, end })
  const sources = new SourceSet(sourcesOf(db, services, caller))
  const { flows, total } = await askMerged(sources, 'flows', {
    limit: MAX_FLOWS,
    order: 'bytes',
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  })
  const { missing } = sources
  const pairs = flows.map(({ client, server, totals }) => ({
    client_pod: nameOf(client),
    server_pod: nameOf(server),
    bytes: totals.bytes,
    pkts: totals.pkts,
  }))
  return {
    total_flows: total,
    tcp_flows: flows.filter(({ proto }) => proto === 'tcp').length,
    udp_flows: flows.filter(({ proto }) => proto === 'udp').length,
    total_bytes: flows.reduce((sum, { totals }) => sum + totals.bytes, 0),
    total_pkts: flows.reduce((sum, { totals }) => sum + totals.pkts, 0),
    unique_clients: new Set(flows.map(({ client }) => client.ip)).size,
    unique_servers: new Set(flows.map(({ server }) => server.ip)).size,
    top_by_bytes: pairs
      .toSorted((a, b) => b.bytes - a.bytes)
      .slice(0, TOP)
      .map(({ client_pod, server_pod, bytes }) => ({ client_pod, server_pod, bytes })),
    top_by_pkts: pairs
      .toSorted((a, b) => b.pkts - a.pkts)
      .slice(0, TOP)
      .map(({ client_pod, server_pod, pkts }) => ({ client_pod, server_pod, pkts })),
    by_namespace: byNamespace(flows),
    cross_namespace: crossNamespace(flows),
    truncated: total > flows.length,
    ...answerNotes(db, services, caller, { start, end }, missing),
  }
}

/** Who a peer is, as precisely as is known. */
function nameOf({ pod, svc, ip }: FlowRow['client']): string {
  return pod ?? svc ?? ip ?? 'unknown'
}

function byNamespace(flows: readonly FlowRow[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { client, server } of flows)
    for (const ns of new Set([client.ns, server.ns])) if (ns !== undefined) counts[ns] = (counts[ns] ?? 0) + 1
  return counts
}

function crossNamespace(flows: readonly FlowRow[]) {
  const pairs = new Map<string, { src_ns: string; dst_ns: string; flows: number; bytes: number }>()
  for (const { client, server, totals } of flows) {
    if (client.ns === undefined || server.ns === undefined || client.ns === server.ns) continue
    const key = `${client.ns} ${server.ns}`
    const pair = pairs.get(key) ?? { src_ns: client.ns, dst_ns: server.ns, flows: 0, bytes: 0 }
    pair.flows++
    pair.bytes += totals.bytes
    pairs.set(key, pair)
  }
  return [...pairs.values()].sort((a, b) => b.bytes - a.bytes)
}
