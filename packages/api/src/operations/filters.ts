import { z } from 'zod'
import { filterText } from '../filter-text.ts'
import { incomplete, missingNodes } from '../live-shapes.ts'
import { operation } from '../operation.ts'
import { db, limit, none, text, window } from './inputs.ts'

/** Help with the filter language. */
export const filters = {
  list_kfl_fields: operation({
    title: 'Fields of the filter language',
    description:
      'Every name that a filter may use, with type, meaning and an example. It is long: search_fields finds names by a word.',
    method: 'GET',
    path: '/kfl/fields',
    anyCaller: 'It is about the language and says nothing of traffic.',
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
  check_filter: operation({
    title: 'Check a filter',
    description: 'Checks a filter without running it; if it is wrong, says where and how to correct it.',
    method: 'GET',
    path: '/kfl/check',
    anyCaller: 'It is about the language and says nothing of traffic.',
    scope: 'none',
    input: z.object({ kfl: text }),
    output: z.object({
      valid: z.boolean(),
      message: z.string().optional(),
      position: z.number().optional(),
      length: z.number().optional(),
      expected: z.array(z.string()).optional(),
      suggestion: z.string().optional(),
      formatted: filterText('given').optional(),
    }),
  }),
  search_fields: operation({
    title: 'Find fields and values for a filter',
    description:
      'Names that a filter may use and values that were seen, by words such as `retry`, `header` or a part of a name. Each value has the filter that selects it.',
    method: 'GET',
    path: '/kfl/search',
    anyCaller:
      'Values need the capability to read calls; without it, only fields of the language are returned.',
    scope: 'kfl',
    input: z.object({
      query: z
        .string()
        .min(1)
        .max(200)
        .describe('Words; a field matches where each is in its name or meaning'),
      db,
      ...window,
      limit: limit(50, 10).describe('Maximum number of fields, and of values'),
    }),
    output: z.object({
      fields: z.array(z.object({ name: z.string(), type: z.string(), doc: z.string(), example: z.string() })),
      total: z.number().describe('Fields that match'),
      values: z
        .array(
          z.object({
            field: z.string(),
            value: z.union([z.string(), z.number(), z.boolean()]),
            calls: z.number().describe('Calls that had it, among those looked at'),
            kfl: filterText('made'),
          }),
        )
        .describe(
          'Names, paths and other values that contain the text of the query, the most frequent first',
        ),
      values_are: z
        .enum(['observed', 'unavailable'])
        .describe('unavailable: the role may not read calls, or no node could be asked'),
      missing_nodes: missingNodes,
      incomplete: incomplete.optional(),
    }),
  }),
  complete_kfl: operation({
    title: 'Complete a filter',
    description:
      'Fields, operators and values that fit at the cursor. Values are those that were seen: live, or in one dissection (`db`), in a window.',
    method: 'GET',
    path: '/kfl/complete',
    anyCaller: 'Values need the capability to read calls; without it, only the language is completed.',
    scope: 'kfl',
    input: z.object({
      kfl: text,
      cursor: z.coerce.number().int().min(0).describe('Position in the filter, in characters'),
      db,
      ...window,
      limit: limit(100, 50).describe('Maximum number of values'),
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
      missing_nodes: missingNodes,
      incomplete: incomplete.optional(),
    }),
  }),
  explain_kfl: operation({
    title: 'How a filter runs',
    description:
      'Which part of a filter runs as SQL over columns, and which part reads the payload of each candidate.',
    method: 'GET',
    path: '/kfl/explain',
    anyCaller: 'It is about the language and says nothing of traffic.',
    scope: 'none',
    input: z.object({ kfl: text }),
    output: z.object({
      formatted: filterText('given'),
      exact: z.boolean().describe('SQL alone decides; no payload is read'),
      where: z.string().describe('The condition that selects the candidates'),
      reads: z.array(z.string()).describe('Paths of the call that are read'),
      parts: z.array(
        z.object({
          kfl: filterText('given'),
          pushed: z.enum(['all', 'part', 'none']).describe('How much of it SQL decides'),
          where: z.string(),
          reads: z.array(z.string()),
        }),
      ),
    }),
  }),
} as const
