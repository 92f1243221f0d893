import type { shapes } from '@tapdeck/api'
import { textLiteral } from '@tapdeck/kfl'
import type { z } from 'zod'
import { type CallSource, sourceOfNode } from '../query/call-source.ts'

type Call = z.input<typeof shapes.call>
type BothEnds = NonNullable<Call['both_ends']>

/** Milliseconds that the clocks of two nodes may differ. */
const MAX_SKEW_MS = 2000
const MAX_CANDIDATES = 50

/**
 * Where the nodes of the client and of the server have both recorded an exchange: how long it took as each of them saw it.
 * The difference is the time on the network between them. Undefined where the other node has no such call.
 */
export async function bothEnds(call: Call, sources: readonly CallSource[]): Promise<BothEnds | undefined> {
  const { src, dst, ts, latency_ms } = call
  const [client, server] = [src.node, dst.node]
  if (latency_ms === undefined || client === undefined || server === undefined || client === server)
    return undefined
  const reporting = call.id.slice(0, call.id.lastIndexOf('/', call.id.lastIndexOf('/') - 1))
  if (reporting !== client && reporting !== server) return undefined
  const node = reporting === client ? server : client
  const source = sourceOfNode(sources, node)
  const other = source && (await otherView(source, node, call).catch(() => undefined))
  if (other?.latency_ms === undefined) return undefined
  const [atClient, atServer] =
    reporting === client ? [latency_ms, other.latency_ms] : [other.latency_ms, latency_ms]
  return {
    client_node: client,
    server_node: server,
    client_ms: atClient,
    server_ms: atServer,
    network_ms: Math.max(0, Math.round((atClient - atServer) * 1000) / 1000),
    other_id: other.id,
    clock_difference_ms: Math.round((other.ts - ts) * 1000) / 1000,
  }
}

/** The same exchange as another node has it: on the same connection, with the same outcome, nearest in time. */
async function otherView(source: CallSource, node: string, call: Call): Promise<Call | undefined> {
  const { src, dst, ts, proto } = call
  const ends = [
    `src.ip == ${textLiteral(src.ip)} and src.port == ${src.port}`,
    `dst.ip == ${textLiteral(dst.ip)} and dst.port == ${dst.port}`,
    // A shared index has both views.
    `node_id == ${textLiteral(node)}`,
  ]
  const { calls } = await source.ask('calls', {
    kfl: ends.join(' and '),
    limit: MAX_CANDIDATES,
    order: 'oldest',
    format: 'compact',
    start: ts - MAX_SKEW_MS,
    end: ts + MAX_SKEW_MS,
  })
  return (calls as Call[])
    .filter((one) => one.proto === proto && one.method === call.method && one.path === call.path)
    .filter(({ status }) => status === call.status)
    .sort((a, b) => Math.abs(a.ts - ts) - Math.abs(b.ts - ts))[0]
}
