import { z } from 'zod'
import { filterText } from './filter-text.ts'
import { instant } from './instant.ts'
import { approximate, liveNotes } from './live-shapes.ts'

const figures = {
  calls: z.number(),
  rate: z.number().describe('Calls a second over the window'),
  errors: z.number().describe('Calls that failed, without those that the capture has only in part'),
  error_rate: z.number().describe('0 to 1'),
  unanswered: z.number().describe('Of the errors, requests that never got an answer'),
  latency_p50_ms: z.number().optional(),
  latency_p90_ms: z.number().optional(),
  latency_p95_ms: z.number().optional(),
  latency_p99_ms: z.number().optional(),
  bytes: z.number(),
}

const edge = z.object({
  src: z.string().describe('Id of the node that sends requests'),
  dst: z.string(),
  ...figures,
  request_bytes: z.number(),
  response_bytes: z.number(),
  protocols: z.record(z.string(), z.number()).describe('Calls by protocol'),
  first_at: instant.optional().describe('First call of the window'),
  last_at: instant.optional(),
  kfl: filterText('made').describe('A filter that selects the calls of the edge'),
  changes: z
    .array(
      z.object({
        kind: z.enum(['new', 'gone', 'slower', 'failing_more']),
        significance: z.enum(['strong', 'likely']),
        detail: z.string(),
      }),
    )
    .optional()
    .describe('Compared with the baseline; absent where nothing changed'),
  baseline: z.object(figures).optional(),
})

const side = z.object({
  db: z.string().optional(),
  start_at: instant.nullable(),
  end_at: instant.nullable(),
  seconds: z.number(),
})

export const topology = z.object({
  by: z.string(),
  window: side,
  baseline: side.optional(),
  nodes: z.array(
    z.object({
      id: z.string().describe('<namespace>/<name>, or the name alone'),
      name: z.string(),
      ns: z.string().optional(),
      kind: z.enum(['service', 'workload', 'pod', 'namespace', 'node', 'address']),
      calls_in: z.number(),
      errors_in: z.number(),
      calls_out: z.number(),
      errors_out: z.number(),
    }),
  ),
  edges: z.array(edge).describe('The busiest first; with a baseline, changed ones first'),
  omitted: z
    .object({
      edges: z.number().describe('At least so many edges are not listed'),
      calls: z.number(),
      hint: z.string(),
    })
    .optional(),
  approximate,
  ...liveNotes,
})
