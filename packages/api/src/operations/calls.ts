import { z } from 'zod'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { address, callsDb, db, fields, groupBy, limit, liveOrSnapshot, text, window } from './inputs.ts'

/** What was said, and by whom to whom: live, or of one dissection. */
export const calls = {
  list_api_calls: operation({
    title: 'Search calls',
    description:
      'Calls that match a KFL filter, newest first: live, of one dissection (`db`), or directly from the recording (`db=recording`, also while indexing is paused; default: the last 5 minutes). An empty answer says why it is empty.',
    method: 'GET',
    path: '/calls',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      db: callsDb,
      kfl: text.default(''),
      limit: limit(1000, 100),
      format: z.enum(['compact', 'full', 'raw']).default('compact'),
      fields,
      ...window,
      order: z.enum(['newest', 'oldest']).default('newest'),
      cursor: z.string().max(65_536).optional(),
    }),
    output: shapes.callPage,
  }),
  get_api_call: operation({
    title: 'One call',
    description:
      'One call with headers, payloads, its connection, its timeline and the events of its pods and processes. The id is the one in lists; use the same `db`. In the recording it is found by its connection: `start` and `end` around the beginning of the connection make that faster.',
    method: 'GET',
    path: '/calls/{id}',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      id: z.string().max(512),
      db: callsDb,
      fields,
      body_offset: z.coerce.number().int().min(0).default(0).describe('Bodies from this character on'),
      ...window,
    }),
    output: shapes.call,
  }),
  get_api_stats: operation({
    title: 'Rates, errors and latencies by group',
    description:
      'Calls, errors, rate, latency and handshake percentiles of each service, path, status or other group, or of combinations such as client and server.',
    method: 'GET',
    path: '/stats',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      db,
      kfl: text.default(''),
      ...window,
      limit: limit(1000, 100),
      group_by: groupBy.default('service'),
      sort: z
        .enum([
          'calls',
          'errors',
          'latency_p50_ms',
          'latency_p90_ms',
          'latency_p95_ms',
          'latency_p99_ms',
          'bytes',
          'rate',
          'capture_errors',
          'unanswered',
          'tcp_handshake_p50_us',
          'tcp_handshake_p90_us',
          'tcp_handshake_p99_us',
        ])
        .default('calls')
        .describe('Largest first, among the 1000 groups with most calls; not with group_by=time'),
      include_unanswered: z
        .stringbool()
        .default(false)
        .describe('Latency percentiles count unanswered requests by the time that their clients waited'),
      fields,
    }),
    output: shapes.statsPage,
  }),
  list_l4_flows: operation({
    title: 'L4 flows',
    description:
      'Who talks to whom at L4, with packets, bytes and TCP handshake percentiles; live or of one dissection.',
    method: 'GET',
    path: '/flows',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      db,
      ...window,
      aggregate: z.enum(['pod', 'service', 'namespace', 'node']).optional(),
      l4proto: z
        .string()
        .toLowerCase()
        .pipe(z.enum(['tcp', 'udp', 'sctp', 'icmp']))
        .optional()
        .describe('tcp, udp, sctp or icmp'),
      ip: address.optional(),
      ns: z.string().max(253).optional(),
      pod: z.string().max(253).optional(),
      svc: z.string().max(253).optional(),
      limit: limit(10_000, 100),
      order: z
        .enum(['bytes', 'packets', 'newest', 'key'])
        .default('bytes')
        .describe('key: by who talks to whom, for reading all rows page by page'),
      cursor: z.string().max(8192).optional().describe('Only with order=key: next_cursor of the page before'),
      format: z.enum(['compact', 'full', 'raw']).default('compact'),
      fields,
    }),
    output: shapes.flowPage,
  }),
  get_l4_flow_summary: operation({
    title: 'L4 flows in numbers',
    description:
      'How many peers talk to each other and how much, the busiest pairs, and traffic across namespaces; live or of one dissection.',
    method: 'GET',
    path: '/flows/summary',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({ db, ...window }),
    output: shapes.flowSummary,
  }),
} as const
