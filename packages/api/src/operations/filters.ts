import { z } from 'zod'
import { operation } from '../operation.ts'
import { db, limit, none, text, window } from './inputs.ts'

/** Help with the filter language. */
export const filters = {
  list_kfl_fields: operation({
    title: 'Fields of the filter language',
    description:
      'Every name a filter may use, with type, meaning and an example. Look here before writing a filter.',
    method: 'GET',
    path: '/kfl/fields',
    scope: 'none',
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
    scope: 'none',
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
    description:
      'Fields, operators and values that may stand at the cursor. Values are those that were seen: live, or in one dissection (`db`), in a window.',
    method: 'GET',
    path: '/kfl/complete',
    scope: 'kfl',
    input: z.object({
      kfl: text,
      cursor: z.coerce.number().int().min(0),
      db,
      ...window,
      limit: limit(100, 50).describe('Most values that are told'),
    }),
    output: z.object({
      from: z.number(),
      to: z.number(),
      items: z.array(
        z.object({
          label: z.string(),
          kind: z.string(),
          doc: z.string().optional(),
          calls: z.number().optional().describe('Of a value: calls that had it, among those looked at'),
        }),
      ),
      values: z
        .enum(['observed', 'none', 'unavailable'])
        .optional()
        .describe('Only where values are wanted; unavailable: they could not be asked for'),
    }),
  }),
  explain_kfl: operation({
    title: 'How a filter runs',
    description:
      'What of a filter the index answers with SQL over columns, and what is left to be asked of each candidate by reading its payload.',
    method: 'GET',
    path: '/kfl/explain',
    scope: 'none',
    input: z.object({ kfl: text }),
    output: z.object({
      formatted: z.string(),
      exact: z.boolean().describe('SQL alone decides; no payload is read'),
      where: z.string().describe('The condition that selects the candidates'),
      reads: z.array(z.string()).describe('Paths of the call that are read'),
      parts: z.array(
        z.object({
          kfl: z.string(),
          pushed: z.enum(['all', 'part', 'none']).describe('How much of it SQL decides'),
          where: z.string(),
          reads: z.array(z.string()),
        }),
      ),
    }),
  }),
} as const
