import { z } from 'zod'

/** Parts of the report of a node. */
export const workerProcess = z
  .object({ memory_bytes: z.number(), cpu_seconds: z.number() })
  .optional()
  .describe('Memory and CPU time of the worker, all its threads')

export const indexQueue = z
  .object({
    queued_bytes: z.number(),
    max_bytes: z.number().describe('Above this, calls are not stored: unwritten_calls in `loss`'),
    reason: z.string().optional().describe('Why the last insert failed'),
  })
  .optional()
  .describe('Calls that wait to be inserted into ClickHouse; absent if the index is in files')
