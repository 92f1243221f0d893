import { z } from 'zod'

/** Shapes of answers, as the contract gives them. */
const nullableTime = z.number().nullable()
const instant = z.string().describe('RFC 3339 UTC')

export const success = z.object({ success: z.boolean(), name: z.string().optional() })

export const loss = z
  .record(z.string(), z.number())
  .describe('What was lost or damaged, by kind; a missing key means nothing')

export const boundaries = z.object({
  cluster: z.object({ oldest_ts: nullableTime, newest_ts: nullableTime }),
  nodes: z.array(
    z.object({
      name: z.string(),
      oldest_ts: nullableTime,
      newest_ts: nullableTime,
      oldest_at: instant.nullable(),
      newest_at: instant.nullable(),
      size_bytes: z.number(),
      packet_count: z.number(),
      dropped_packets: z.number(),
    }),
  ),
})

export const snapshotStatus = z.enum(['pending', 'in_progress', 'completed', 'failed'])

export const snapshot = z.object({
  name: z.string(),
  status: snapshotStatus,
  progress: z.number().describe('0 to 100'),
  size_bytes: z.number(),
  node_count: z.number(),
  packet_count: z.number(),
  duration: z.string(),
  start_ts: nullableTime,
  end_ts: nullableTime,
  created_at: instant,
  partial: z
    .boolean()
    .describe('The window reached beyond what was recorded, or a node could not give its part'),
  nodes: z.array(
    z.object({
      name: z.string(),
      status: snapshotStatus,
      size_bytes: z.number(),
      packet_count: z.number(),
      dropped_packets: z.number(),
      error: z.string().optional(),
    }),
  ),
  events: z.object({ cluster: z.number(), os: z.number() }),
  error: z.string().optional(),
})

export const dissectionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])

export const dissection = z.object({
  snapshot_name: z.string(),
  dissection_name: z.string(),
  status: dissectionStatus,
  progress: z.number().describe('0 to 100'),
  call_count: z.number(),
  flow_count: z.number(),
  packet_count: z.number(),
  bytes: z.number(),
  protocol_counts: z.record(z.string(), z.number()),
  loss,
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  errors: z.array(z.string()),
})

export const indexing = z.object({
  enabled: z.boolean(),
  since: instant.optional(),
  pauses_at: instant
    .nullable()
    .optional()
    .describe('When inactivity will pause indexing, if nothing happens'),
})

export const whyEmpty = z.object({
  reason: z.enum([
    'no_match',
    'window_outside_data',
    'indexing_paused',
    'not_captured',
    'no_data',
    'encrypted',
  ]),
  detail: z.string(),
  since: instant.optional(),
  available_from: instant.nullable().optional(),
  available_to: instant.nullable().optional(),
  parts: z
    .array(z.object({ kfl: z.string(), matches: z.number() }))
    .optional()
    .describe('How many calls each part of the filter matches alone'),
})

const endpoint = z.object({
  ip: z.string(),
  port: z.number(),
  pod: z.string().optional(),
  ns: z.string().optional(),
  svc: z.string().optional(),
  node: z.string().optional(),
})

export const call = z.looseObject({
  id: z.string(),
  ts: z.number(),
  src: endpoint.loose(),
  dst: endpoint.loose(),
  proto: z.string(),
  method: z.string().optional(),
  path: z.string().optional(),
  status: z.union([z.number(), z.string()]).optional(),
  latency_ms: z.number().optional(),
  error: z.string().optional(),
})

/** Nodes whose part is not in an answer. Only there where some are missing. */
const missingNodes = z.array(z.object({ name: z.string(), reason: z.string() })).optional()

export const callPage = z.object({
  calls: z.array(call),
  total: z.number(),
  total_is: z.enum(['exact', 'at_least', 'estimate']),
  truncated: z.boolean(),
  next_cursor: z.string().optional(),
  missing_nodes: missingNodes,
  indexing: indexing.optional(),
  why_empty: whyEmpty.optional(),
})

const handshake = {
  tcp_handshake_p50_us: z.number().int().optional(),
  tcp_handshake_p90_us: z.number().int().optional(),
  tcp_handshake_p99_us: z.number().int().optional(),
}

export const statsPage = z.object({
  groups: z.array(
    z.object({
      group: z.string(),
      calls: z.number(),
      errors: z.number(),
      rate: z.number(),
      latency_p50_ms: z.number().optional(),
      latency_p90_ms: z.number().optional(),
      latency_p99_ms: z.number().optional(),
      bytes: z.number(),
      ...handshake,
    }),
  ),
  missing_nodes: missingNodes,
  indexing: indexing.optional(),
})

const flowStats = z.object({
  tx_pkts: z.number(),
  rx_pkts: z.number(),
  tx_bytes: z.number(),
  rx_bytes: z.number(),
  ...handshake,
})

export const flowPage = z.object({
  flows: z.array(
    z.object({
      proto: z.string(),
      client: endpoint.partial().loose(),
      server: endpoint.partial().loose(),
      client_stats: flowStats,
      server_stats: flowStats,
      totals: z.object({ pkts: z.number(), bytes: z.number(), pps: z.number(), bps: z.number() }),
    }),
  ),
  total: z.number(),
  truncated: z.boolean(),
  missing_nodes: missingNodes,
  indexing: indexing.optional(),
})

export const flowSummary = z.object({
  total_flows: z.number(),
  tcp_flows: z.number(),
  udp_flows: z.number(),
  total_bytes: z.number(),
  total_pkts: z.number(),
  unique_clients: z.number(),
  unique_servers: z.number(),
  top_by_bytes: z.array(z.object({ client_pod: z.string(), server_pod: z.string(), bytes: z.number() })),
  top_by_pkts: z.array(z.object({ client_pod: z.string(), server_pod: z.string(), pkts: z.number() })),
  by_namespace: z.record(z.string(), z.number()).describe('Flows that begin or end in a namespace'),
  cross_namespace: z.array(
    z.object({ src_ns: z.string(), dst_ns: z.string(), flows: z.number(), bytes: z.number() }),
  ),
  truncated: z.boolean().describe('There are more flows than were summed up; the largest were'),
  missing_nodes: missingNodes,
  indexing: indexing.optional(),
})

export const switchState = indexing.extend({
  since: instant,
  by: z.string().describe('Who changed it last'),
  reason: z.string(),
  stop_after: z.string(),
  idle_since: instant.nullable(),
  pauses_at: instant.nullable(),
  activity: z.object({ dashboards: z.number(), recordings: z.number(), agents: z.number() }),
})

export const switchChange = z.object({
  at: instant,
  enabled: z.boolean(),
  by: z.string(),
  door: z.string(),
  reason: z.string(),
})

export const whoami = z.object({
  name: z.string(),
  role: z.string(),
  capabilities: z.array(z.string()),
  namespaces: z.union([z.literal('*'), z.array(z.string())]),
  auth: z.object({ enabled: z.boolean(), kind: z.string() }),
})

export const nodeReport = z.object({
  name: z.string(),
  connected: z.boolean(),
  version: z.string(),
  indexing: z.boolean(),
  capture: z.object({ active: z.boolean(), reason: z.string().optional(), interfaces: z.array(z.string()) }),
  packets_captured: z.number(),
  packets_dissected: z.number(),
  calls: z.number(),
  loss,
})
