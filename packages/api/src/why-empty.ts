import { z } from 'zod'
import { filterText, keptFilter } from './filter-text.ts'
import { instant } from './instant.ts'

/** Why an answer has no calls. */
export const whyEmpty = z.object({
  reason: z.enum([
    'no_match',
    'window_outside_data',
    'indexing_paused',
    'not_captured',
    'no_data',
    'encrypted',
    'not_recorded',
    'not_indexed',
  ]),
  detail: z.string(),
  since: instant.optional(),
  available_from: instant.nullable().optional(),
  available_to: instant.nullable().optional(),
  only: z
    .object({ protocols: z.array(z.string()).optional(), ...keptFilter })
    .optional()
    .describe('What alone was dissected, where that was not everything'),
  parts: z
    .array(
      z.object({
        kfl: filterText('given'),
        matches: z.number(),
        seen: z
          .array(z.union([z.string(), z.number(), z.boolean()]))
          .optional()
          .describe('Where a part asks for one value and no call has it: values that calls do have there'),
      }),
    )
    .optional()
    .describe('How many calls each part of the filter matches alone'),
})
