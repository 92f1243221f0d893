import { z } from 'zod'
import { operation } from '../operation.ts'
import { callsDb, none } from './inputs.ts'

const MAX_RULES = 100
const names = z.array(z.string().min(1).max(1000)).max(MAX_RULES).default([])

const rules = z.strictObject({
  headers: names,
  query: names,
  json: names,
  sqlLiterals: z.boolean().default(false),
  detect: z
    .array(z.enum(['card', 'bearer', 'jwt']))
    .max(3)
    .default([]),
  patterns: names,
  bodies: z.boolean().default(false),
})

/** The configuration as the hub runs with it. */
export const settings = {
  get_configuration: operation({
    title: 'The configuration as it runs',
    description: 'Every key with its value, its default and the source of the value. Secrets are not shown.',
    method: 'GET',
    path: '/configuration',
    interfaces: ['api'],
    capability: 'access:manage',
    scope: 'refused',
    input: none,
    output: z.object({
      keys: z.array(
        z.object({
          key: z.string(),
          value: z.unknown(),
          value_withheld: z.string().optional().describe('Why a filter is not shown to this role'),
          default: z.unknown(),
          source: z
            .object({
              kind: z.enum(['default', 'file', 'env', 'argument']),
              name: z.string().optional().describe('The file, the variable or the option'),
            })
            .describe('The last source that set the key'),
          doc: z.string(),
          secret: z.boolean().optional().describe('The value is set and is not shown'),
          restart: z.string().optional().describe('Why a change needs a restart'),
        }),
      ),
      files: z
        .array(z.string())
        .describe('Values files, weakest first; they are read again when they change'),
    }),
  }),
  preview_redaction: operation({
    title: 'Try redaction on a call',
    description:
      'Which fields of one call the rules would hide, and by which rule. Rules of a role, rules of the request, or by default those of tap.redaction. Nothing changes.',
    method: 'POST',
    path: '/redaction/preview',
    interfaces: ['api'],
    capability: 'access:manage',
    scope: 'refused',
    input: z
      .object({
        id: z.string().min(1).max(400).describe('The call'),
        db: callsDb,
        role: z.string().max(120).optional().describe('The rules of tap.redaction.byRole for this role'),
        rules: rules.optional().describe('These rules, in the form of tap.redaction'),
      })
      .strict(),
    output: z.object({
      rules: z.number().describe('How many rules were tried'),
      changes: z.array(
        z.object({
          field: z.string(),
          rule: z.string().describe('The rule that hides it, such as headers: authorization'),
          before: z.string(),
          after: z.string().nullable().describe('null: the field is left out'),
        }),
      ),
      truncated: z.boolean(),
    }),
  }),
} as const
