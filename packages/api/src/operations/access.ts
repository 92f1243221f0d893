import { z } from 'zod'
import { capabilities } from '../capability.ts'
import { instant } from '../instant.ts'
import { duration } from '../notation.ts'
import { operation } from '../operation.ts'
import { limit, none, window } from './inputs.ts'

/** Ten years: longer is `never`. */
const MAX_LIFE_MS = 3660 * 86_400_000

const life = z
  .union([z.literal('never'), duration.pipe(z.number().max(MAX_LIFE_MS, 'at most 3660d; or never'))])
  .optional()
  .describe('How long it is valid: 12h, 30d, or never. Default: 90d, or as long as the token of the caller')

const callerName = z
  .string()
  .min(1)
  .max(120)
  .regex(/^\P{Cc}*$/u, 'expected 1 to 120 characters without control characters')

const token = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  created_at: instant,
  expires_at: instant.nullable().describe('null: never'),
  created_by: z.string().optional().describe('The caller who made it; missing where the command line did'),
})

const auditEntry = z.looseObject({
  at: z.string(),
  who: z.string().optional(),
  role: z.string().optional(),
  from: z.string().optional(),
  what: z.string().optional(),
  status: z.number().optional(),
})

/** Who may do what, and who did what. All but the roles are for administrators only. */
export const access = {
  list_tokens: operation({
    title: 'List API tokens',
    description:
      'The API tokens of this hub, newest first, with the last use of each. No token itself is returned.',
    method: 'GET',
    path: '/tokens',
    interfaces: ['api'],
    capability: 'access:manage',
    scope: 'refused',
    input: none,
    output: z.object({
      tokens: z.array(
        token.extend({
          last_used_at: instant.nullable(),
          expired: z.boolean(),
          own: z.boolean().describe('It is the token of this caller'),
        }),
      ),
    }),
  }),
  create_token: operation({
    title: 'Make an API token',
    description:
      'Makes an API token for a caller of the hub and returns it once; only its hash is kept. A caller with a token that expires cannot make one that lasts longer. Needs tap.auth.enabled=true.',
    method: 'POST',
    path: '/tokens',
    interfaces: ['api'],
    capability: 'access:manage',
    changes: true,
    additive: true,
    status: 201,
    scope: 'refused',
    input: z
      .object({
        name: callerName.describe('Name of the caller in lists and logs'),
        role: z.string().min(1).max(120).describe('A built-in role, or one of the configuration'),
        expires: life,
      })
      .strict(),
    output: token.extend({ token: z.string().describe('Shown only now') }),
  }),
  revoke_token: operation({
    title: 'Revoke an API token',
    description: 'It is refused at once. Its streams, downloads and sessions end within a second.',
    method: 'DELETE',
    path: '/tokens/{id}',
    interfaces: ['api'],
    capability: 'access:manage',
    changes: true,
    scope: 'refused',
    input: z.object({ id: z.string().regex(/^[0-9a-f]{12}$/, 'an id is 12 of 0-9 a-f') }),
    output: token.extend({ success: z.boolean() }),
  }),
  list_roles: operation({
    title: 'List roles',
    description:
      'All roles, highest first: capabilities, namespaces, the groups that map to each. Roles are changed in the configuration.',
    method: 'GET',
    path: '/roles',
    interfaces: ['api'],
    capability: 'access:manage',
    scope: 'refused',
    input: none,
    output: z.object({
      roles: z.array(
        z.object({
          name: z.string(),
          builtin: z.boolean(),
          capabilities: z.array(z.enum(capabilities)),
          namespaces: z.union([z.literal('*'), z.array(z.string())]),
          groups: z.array(z.string()).describe('Groups of users that have this role'),
          redacted: z.boolean().describe('It sees redacted calls (tap.redaction.byRole)'),
        }),
      ),
      default_role: z.string().describe('Role of every caller while tap.auth.enabled is false'),
    }),
  }),
  list_audit_entries: operation({
    title: 'Read the audit log',
    description: 'Who asked what: the newest entries of the audit log that match, newest first.',
    method: 'GET',
    path: '/audit',
    interfaces: ['api'],
    capability: 'access:manage',
    scope: 'refused',
    input: z.object({
      who: z.string().max(200).optional().describe('Only callers whose name contains this text'),
      what: z.string().max(200).optional().describe('Only operations whose name contains this text'),
      outcome: z.enum(['all', 'done', 'refused']).default('all').describe('refused: status 400 and above'),
      changes: z.stringbool().default(false).describe('Only what changed something'),
      ...window,
      limit: limit(1000, 100),
    }),
    output: z.object({
      entries: z.array(auditEntry),
      truncated: z.boolean().describe('Older entries match as well, or were not searched'),
      searched_bytes: z.number(),
      lost: z.number().describe('Entries that could not be written since the start'),
    }),
  }),
} as const
