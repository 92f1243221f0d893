import { z } from 'zod'
import { gapKind, gapReasons } from './gap-shapes.ts'
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
      disk_drops: z.number().optional().describe('Not recorded: the disk did not take them'),
      unwritten_calls: z.number().optional().describe('Calls that the index could not write'),
      kind: gapKind.optional(),
      reason: z
        .string()
        .optional()
        .describe(`Why: ${Object.keys(gapReasons).join(', ')}`),
      detail: z.string().optional().describe('The reason as a sentence'),
      pending: z
        .boolean()
        .optional()
        .describe('It is being indexed out of the recording now: ask again later'),
    }),
  )
  .describe(
    'Times in this window of which the answer misses something, by node. What was not indexed may be in the recording: ask with db=recording, or take a snapshot and dissect it',
  )

export const notStreamed = z
  .array(
    z.object({
      start: instant,
      end: instant,
      node: z.string().optional(),
      undelivered_calls: z.number().optional().describe('Counted once for each reader that misses them'),
    }),
  )
  .describe(
    'Times in this window in which live readers (the stream, agents, recordings, OpenTelemetry) missed calls, because the connection of a node to the hub was congested. This answer has these calls',
  )

export const missingNodes = z
  .array(z.object({ name: z.string(), reason: z.string() }))
  .optional()
  .describe(
    'Nodes whose part is not in the answer, or not all of it: a node of the cluster without a worker, one that is not connected, one that did not answer',
  )

export const excludedNodes = z
  .array(z.object({ name: z.string(), reason: z.string() }))
  .optional()
  .describe(
    'Nodes of the cluster on which no worker runs by configuration, and the label that excludes them. Their packets are not recorded, and they are not in `missing_nodes`',
  )

const undecidedOwnership = z
  .number()
  .optional()
  .describe(
    'Calls of this window and filter that may be counted twice: several nodes have them, and the node of their client is not known',
  )

export const liveNotes = {
  missing_nodes: missingNodes,
  indexing: indexing.optional(),
  incomplete: incomplete.optional(),
  not_streamed: notStreamed.optional(),
  undecided_ownership: undecidedOwnership,
}

export const approximate = z
  .literal(true)
  .optional()
  .describe('A bound of the merge was reached: a group that has little on each of many nodes may be missing')
