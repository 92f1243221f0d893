import { z } from 'zod'
import { operation } from '../operation.ts'
import { none, text } from './inputs.ts'

/** Help with the filter language. */
export const filters = {
  list_kfl_fields: operation({
    title: 'Fields of the filter language',
    description:
      'Every name a filter may use, with type, meaning and an example. Look here before writing a filter.',
    method: 'GET',
    path: '/kfl/fields',
    input: none,
    output: z.object({
      fields: z.array(
        z.object({
          name: z.string(),
          type: z.string(),
          path: z.string(),
          doc: z.string(),
          example: z.string(),
        }),
      ),
    }),
  }),
  check_kfl: operation({
    title: 'Check a filter',
    description: 'Says whether a filter is right, without running it; if not, where and how to mend it.',
    method: 'GET',
    path: '/kfl/check',
    input: z.object({ kfl: text }),
    output: z.object({
      valid: z.boolean(),
      message: z.string().optional(),
      position: z.number().optional(),
      length: z.number().optional(),
      expected: z.array(z.string()).optional(),
      suggestion: z.string().optional(),
      formatted: z.string().optional(),
    }),
  }),
  complete_kfl: operation({
    title: 'Complete a filter',
    description: 'Fields and operators that may stand at the cursor.',
    method: 'GET',
    path: '/kfl/complete',
    input: z.object({ kfl: text, cursor: z.coerce.number().int().min(0) }),
    output: z.object({
      from: z.number(),
      to: z.number(),
      items: z.array(z.object({ label: z.string(), kind: z.string(), doc: z.string().optional() })),
    }),
  }),
} as const
