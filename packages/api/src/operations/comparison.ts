import { z } from 'zod'
import { time } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { db, limit, text } from './inputs.ts'

/** What is different now. */
export const comparison = {
  diff_api_calls: operation({
    title: 'Compare two windows or two dissections',
    description:
      'What changed from A (before) to B (after), by group: new, gone, more calls, bigger, slower, failing more, each with its significance and the ids of example calls. Give two windows (a_start, a_end, b_start, b_end), two databases (a_db, b_db), or both.',
    method: 'GET',
    path: '/diff',
    capability: (input) => (input.a_db && input.b_db ? 'snapshot:read' : 'dissection:live'),
    scope: 'kfl',
    input: z.object({
      a_db: db,
      b_db: db,
      a_start: time.optional(),
      a_end: time.optional(),
      b_start: time.optional(),
      b_end: time.optional(),
      kfl: text.default(''),
      group_by: z
        .enum(['service', 'workload', 'path', 'status', 'proto', 'src', 'dst', 'node', 'ns'])
        .default('service'),
      min_calls: z.coerce
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(20)
        .describe('Groups with fewer calls are not reported as slower, bigger or failing more'),
      limit: limit(100, 20).describe('Maximum number of changed groups, with evidence'),
    }),
    output: shapes.diffPage,
  }),
} as const
