import { z } from 'zod'
import { keptFilter } from './filter-text.ts'
import { instant } from './instant.ts'

/** Shapes of what goes on watching: recordings and network agents. */

export const recordingStatus = z.enum(['scheduled', 'running', 'completed', 'failed', 'stopped'])

export const recording = z.object({
  name: z.string(),
  status: recordingStatus,
  ...keptFilter,
  created_at: instant,
  created_by: z.string(),
  starts_at: instant.describe('When it began, or will'),
  ended_at: instant.nullable(),
  ended_by: z.enum(['request', 'duration', 'size', 'failure', 'agent']).optional(),
  error: z.string().optional(),
  duration: z.string().describe('Longest time it runs'),
  max_bytes: z.number(),
  size_bytes: z.number().describe('Packets kept so far'),
  packet_count: z.number(),
  live_matches: z
    .number()
    .describe('Matching calls seen by live indexing while it ran; none while that was off'),
  nodes: z.array(
    z.object({ name: z.string(), size_bytes: z.number(), packet_count: z.number(), until_ts: z.number() }),
  ),
  gaps: z
    .array(
      z.object({
        node: z.string(),
        from_ts: z.number(),
        to_ts: z.number(),
        reason: z.string(),
        code: z.string().optional().describe('The reason as a word, see docs/missing-data.md'),
      }),
    )
    .describe('Times of which packets are missing, by node'),
  notes: z.array(z.object({ at: instant, by: z.string(), text: z.string() })),
  db: z.string().optional().describe('The database it became, for `db` of queries'),
  db_status: z.string().optional().describe('Of its dissection'),
})

export const agentStatus = z.enum(['active', 'disabled', 'failed'])

export const agent = z.object({
  name: z.string(),
  status: agentStatus,
  reason: z.string().optional().describe('Why it failed'),
  ...keptFilter,
  created_at: instant,
  created_by: z.string(),
  edited_at: instant.optional(),
  edited_by: z.string().optional(),
  enabled: z.boolean(),
  matched: z.number().describe('Calls it was given since the hub started'),
  lost: z.number().describe('Matching calls that came faster than it took them'),
  last_match_at: instant.nullable(),
  restarts: z.number(),
  actions: z.array(
    z.looseObject({
      kind: z.string(),
      ...keptFilter,
      done: z.number().describe('Deliveries, lines, samples or batches'),
      failed: z.number(),
      dropped: z.number().describe('What a full queue or a limit refused'),
      waiting: z.number(),
      last_error: z.string().optional(),
    }),
  ),
})
