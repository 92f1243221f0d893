import { z } from 'zod'
import { filterText } from './filter-text.ts'
import { instant } from './instant.ts'
import { approximate, incomplete, liveNotes, missingNodes } from './live-shapes.ts'

export const handshake = {
  tcp_handshake_p50_us: z.number().int().optional(),
  tcp_handshake_p90_us: z.number().int().optional(),
  tcp_handshake_p99_us: z.number().int().optional(),
}

export const zeroWindows = {
  client_zero_window_ts: z
    .number()
    .optional()
    .describe('When the client first accepted no more data; absent: it never did so'),
  server_zero_window_ts: z.number().optional().describe('The same of the server'),
}

const nsOfGroup = z
  .string()
  .optional()
  .describe('Namespace of the service, workload or pod: the same name in two namespaces is two groups')
const captureErrors = z
  .number()
  .describe(
    'Of the errors, calls that the capture has only in part (gap, midstream, truncated): not failures of the called service. Unfinished calls are in neither',
  )

export const statsPage = z.object({
  groups: z.array(
    z.object({
      group: z.string(),
      ns: nsOfGroup,
      parts: z
        .array(z.object({ by: z.string(), group: z.string(), ns: z.string().optional() }))
        .optional()
        .describe('With several dimensions: the name in each of them'),
      unanswered: z
        .number()
        .optional()
        .describe(
          'With several dimensions, include_unanswered, or sorted by it: requests that never got an answer, among the errors',
        ),
      waited_avg_ms: z
        .number()
        .optional()
        .describe(
          'How long the clients of unanswered requests waited, until their connection or stream ended',
        ),
      waited_max_ms: z.number().optional().describe('The longest of these'),
      kfl: filterText('made')
        .optional()
        .describe('A filter that selects the calls of the group; not with group_by=time'),
      calls: z.number(),
      errors: z.number(),
      capture_errors: captureErrors,
      rate: z.number(),
      latency_p50_ms: z.number().optional(),
      latency_p90_ms: z.number().optional(),
      latency_p95_ms: z.number().optional(),
      latency_p99_ms: z.number().optional(),
      bytes: z.number(),
      ...handshake,
      percentiles_are: z
        .literal('estimate')
        .optional()
        .describe(
          'Only for groups with many calls on several nodes or in several threads of a running job, and where more calls were asked for than exact percentiles have memory for: then within 2 %; exact otherwise',
        ),
    }),
  ),
  counted_from_at: instant
    .optional()
    .describe(
      'Only where the filter reads payloads and more calls would have to be read than one answer may: the figures are of calls from then on',
    ),
  approximate,
  ...liveNotes,
})

const diffSide = z.object({
  db: z.string().optional(),
  start_at: instant.nullable(),
  end_at: instant.nullable(),
  seconds: z.number().describe('Length of the window, by which rates are normalised'),
  calls: z.number(),
  errors: z.number(),
  capture_errors: captureErrors,
  rate: z.number().describe('Calls a second'),
})

const diffFigures = z.object({
  calls: z.number(),
  errors: z.number(),
  capture_errors: captureErrors,
  rate: z.number(),
  error_rate: z.number().describe('0 to 1, without the errors of the capture'),
  latency_p50_ms: z.number().optional(),
  latency_p90_ms: z.number().optional(),
  latency_p99_ms: z.number().optional(),
})

export const diffPage = z.object({
  a: diffSide.describe('Before'),
  b: diffSide.describe('After'),
  group_by: z.string(),
  groups: z
    .array(
      z.object({
        group: z.string(),
        ns: nsOfGroup,
        kfl: filterText('made').describe('A filter that selects the calls of the group'),
        changes: z
          .array(
            z.object({
              kind: z.enum(['new', 'gone', 'more_calls', 'bigger', 'slower', 'failing_more']),
              significance: z
                .enum(['strong', 'likely'])
                .describe('strong: a chance below 1 in 30,000 without a real change; likely: below 1 in 700'),
              detail: z.string(),
              evidence: z.array(z.string()).describe('Ids of calls that show it: of B, or of A for gone'),
            }),
          )
          .min(1),
        a: diffFigures.optional(),
        b: diffFigures.optional(),
      }),
    )
    .describe('Groups that changed, the worst first'),
  counts: z.object({
    new: z.number(),
    gone: z.number(),
    more_calls: z.number(),
    bigger: z.number(),
    slower: z.number(),
    failing_more: z.number(),
    unchanged: z.number().describe('Groups without a significant change'),
    too_few_calls: z.number().describe('Of these, groups with too few calls to be judged'),
  }),
  left_out: z
    .array(
      z.object({
        group: z.string(),
        ns: nsOfGroup,
        why: z
          .enum(['too_few_calls', 'too_many_groups', 'too_many_changed'])
          .describe(
            'too_few_calls: fewer than min_calls, or not enough to be new or gone; too_many_groups: the other window lists no more groups; too_many_changed: busier groups were examined',
          ),
        a_calls: z.number(),
        b_calls: z.number(),
      }),
    )
    .optional()
    .describe('Groups that were not judged, the 20 busiest, and why'),
  thresholds: z.record(z.string(), z.number()).describe('Thresholds of a reported change; see docs/diff.md'),
  notes: z.array(z.string()).optional().describe('What the comparison could not take into account'),
  truncated: z.boolean().describe('More groups changed than are listed'),
  missing_nodes: missingNodes,
  incomplete: incomplete.optional(),
})
