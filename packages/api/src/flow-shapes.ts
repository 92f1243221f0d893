import { z } from 'zod'
import { endpoint } from './endpoint-shape.ts'
import { handshake, zeroWindows } from './group-shapes.ts'
import { approximate, liveNotes } from './live-shapes.ts'

const flowStats = z.object({
  tx_pkts: z.number(),
  rx_pkts: z.number(),
  tx_bytes: z.number(),
  rx_bytes: z.number(),
  ...handshake,
  percentiles_are: z
    .literal('estimate')
    .optional()
    .describe(
      'Only for rows with many flows on several nodes, or in several threads of a running job: then within 2 %; exact otherwise',
    ),
  tx_pps: z.number().optional(),
  rx_pps: z.number().optional(),
  tx_bps: z.number().optional().describe('Bytes a second; rates and the time are in the forms full and raw'),
  rx_bps: z.number().optional(),
  timestamp: z.number().optional().describe('Of the last packet, in Unix milliseconds'),
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
      tcp: z
        .object({
          retransmissions: z.number(),
          out_of_order: z.number(),
          zero_window: z.number(),
          resets: z.number(),
          ...zeroWindows,
        })
        .optional()
        .describe('Of both directions, over the whole life of the flows; absent where all are 0'),
      flows: z.number().optional().describe('Connections, or conversations, that were added up'),
      start_ts: z.number().optional().describe('When the first of them began'),
      last_ts: z.number().optional().describe('Of the last packet'),
      open: z.number().optional().describe('In the form raw: how many of them neither peer has ended'),
      open_last_ts: z.number().optional().describe('When these had their last packet, on average'),
      worker: z.string().optional().describe('Only in the form raw'),
    }),
  ),
  total: z.number(),
  total_is: z
    .enum(['at_most', 'at_least', 'estimate'])
    .optional()
    .describe(
      'Absent: exact. at_most: there are too many rows to compare those of all nodes; at_least: nodes are missing; estimate: both',
    ),
  truncated: z.boolean(),
  next_cursor: z
    .string()
    .nullable()
    .optional()
    .describe(
      'Only with order=key: for the rows after these, of which there are `total` less these; null: none',
    ),
  approximate,
  why_empty: z.string().optional().describe('Why there is none, and what to ask instead'),
  ...liveNotes,
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
  ...liveNotes,
})
