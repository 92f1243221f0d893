import { z } from 'zod'
import { filterText } from './filter-text.ts'
import { instant } from './instant.ts'
import { liveNotes } from './live-shapes.ts'

const party = z.object({ name: z.string(), ns: z.string().optional() })

const side = z.object({
  db: z.string().optional(),
  start_at: instant.nullable(),
  end_at: instant.nullable(),
  seconds: z.number(),
  calls: z.number(),
})

export const suspects = z.object({
  window: side.describe('What was searched for causes'),
  baseline: side
    .optional()
    .describe('What it was compared with. Absent: nothing changed in the window, and no baseline was given'),
  baseline_is: z
    .enum(['given', 'before_change', 'none'])
    .describe('before_change: the part of the window before the first change'),
  suspects: z
    .array(
      z.object({
        rank: z.number(),
        kind: z.enum([
          'failing',
          'unanswered',
          'connection_failed',
          'dns_failing',
          'dns_unanswered',
          'dns_search_storm',
          'dns_answer_changed',
          'tls_failing',
          'certificate',
          'slower',
          'concurrency',
          'more_calls',
          'retries',
          'amplification',
          'n_plus_one',
          'bigger',
          'deadline',
          'rate_limited',
          'health_check',
          'clock_skew',
          'lock',
          'header_changed',
          'packet_loss',
          'mtu_black_hole',
          'leaking_connections',
          'half_open',
          'zero_window',
          'replica',
          'hot_replica',
          'version',
          'node',
          'new_edge',
          'gone',
          'restart',
          'rollout',
        ]),
        severity: z.enum(['high', 'medium', 'note']),
        what: z.string(),
        impact: z
          .object({
            text: z.string().describe('In one sentence'),
            how: z.enum(['failed', 'delayed']),
            lost: z.number().describe('Calls that failed or were delayed'),
            of: z.number(),
            share: z.number().describe('0 to 1'),
            path: z.string().optional(),
          })
          .optional()
          .describe(
            'What users lose by it, where their calls enter the system. Absent: no call is lost by it',
          ),
        score: z.number().describe('0 to 100'),
        began_at: instant.optional().describe('The first call or event that shows it'),
        client: party.optional(),
        server: party.optional(),
        before: z.string().optional().describe('What it was compared with: see compared_with'),
        after: z.string(),
        compared_with: z
          .enum(['time_before', 'peers', 'protocol'])
          .describe(
            'peers: other pods, versions, nodes, callers or paths in the same window; protocol: nothing but what is normal for the protocol',
          ),
        background: z
          .boolean()
          .optional()
          .describe('It was the same before the change: hardly the cause of what is new'),
        kfl: filterText('made').optional().describe('A filter that selects the calls that show it'),
        evidence: z.array(z.string()).describe('Ids of the first calls that show it'),
        idle_before_ms: z
          .array(z.number())
          .optional()
          .describe('Of broken connections: how long each had carried no call before the failed one'),
        against: z.array(z.string()).describe('What speaks against it'),
        explains: z.array(z.number()).describe('Ranks of suspects that this one would explain'),
        explained_by: z.number().optional(),
        victims: z
          .array(z.number())
          .optional()
          .describe('Ranks of all suspects that follow from this one, also over several steps'),
      }),
    )
    .describe(
      'Causes, the most probable first; then what follows from them, then what was so before the change, then notes',
    ),
  omitted: z.number().describe('Suspects below the limit'),
  summary: z.string(),
  notes: z.array(z.string()).optional(),
  ...liveNotes,
})
