import { z } from 'zod'
import { instant } from './instant.ts'

/** What answers out of the live index say of it. */

export const indexing = z.object({
  enabled: z.boolean(),
  since: instant.optional(),
  pauses_at: instant
    .nullable()
    .optional()
    .describe('When inactivity will pause indexing, if nothing happens'),
})

export const incomplete = z
  .array(
    z.object({
      start: instant,
      end: instant,
      node: z.string().optional(),
      skipped_packets: z.number().optional().describe('Recorded, but not indexed: indexing fell behind'),
      kernel_drops: z.number().optional().describe('Neither recorded nor indexed'),
      unwritten_calls: z.number().optional().describe('Calls that the index could not write'),
    }),
  )
  .describe(
    'Times in this window of which the live index misses something. What was skipped is in the recording: ask with db=recording, or take a snapshot and dissect it',
  )

export const liveNotes = { indexing: indexing.optional(), incomplete: incomplete.optional() }
