import { isRoleName, Problem } from '@tapdeck/api'
import { type ApiToken, maxMakerName } from '@tapdeck/api/credentials'
import type { Handler } from './handler.ts'

export const listTokens: Handler<'list_tokens'> = (_input, { access, now }, { caller }) => ({
  tokens: access.tokens.list().map(({ token, lastUsed }) => ({
    ...withoutDigest(token),
    last_used_at: lastUsed === undefined ? null : new Date(lastUsed).toISOString(),
    expired: token.expires_at !== null && Date.parse(token.expires_at) <= now(),
    own: token.id === caller.token,
  })),
})

export const createToken: Handler<'create_token'> = async (input, services, { caller }) => {
  const { access, redactions, now } = services
  // Else a caller of now, when all are administrators, could keep its rights after authentication is turned on.
  if (!access.identifies)
    throw new Problem(409, 'auth_disabled', 'API tokens have no effect while tap.auth.enabled is false', {
      hint: 'Set tap.auth.enabled: true first. To make the first token, run tapdeck token create on the machine of the hub.',
    })
  // A token of another role would see what this caller may not.
  redactions.requireUnredacted(caller)
  requireRole(input.role, access.roles)
  const lastsMs = input.expires === 'never' ? undefined : input.expires
  requireNotOutlived(
    caller.token === undefined ? undefined : access.tokens.get(caller.token, now()),
    now(),
    lastsMs,
  )
  const { record, token } = await access.tokens.create(
    { ...input, created_by: caller.name.slice(0, maxMakerName) },
    now(),
    lastsMs,
  )
  return { ...withoutDigest(record), token }
}

export const revokeToken: Handler<'revoke_token'> = async ({ id }, { access }) => ({
  success: true,
  ...withoutDigest(await access.tokens.revoke(id)),
})

export const listRoles: Handler<'list_roles'> = (_input, { access, redactions }) => ({
  roles: access.roles.map(({ name, capabilities, namespaces, groups }) => ({
    name,
    builtin: isRoleName(name),
    capabilities: [...capabilities],
    namespaces: namespaces === '*' ? '*' : [...namespaces],
    groups: [...groups],
    redacted: redactions.of({ role: name }) !== undefined,
  })),
  default_role: access.defaultRole,
})

export const listAuditEntries: Handler<'list_audit_entries'> = async (input, services, { caller }) => {
  // The filters of others may hold values that this caller may not see.
  services.redactions.requireUnredacted(caller)
  const { entries, ...page } = await services.audit.search(input)
  return { ...page, entries: entries.map((entry) => ({ ...entry })) }
}

/** Throws 403 where a new token would last longer than the one that makes it: its rights would outlive its end. */
function requireNotOutlived(maker: ApiToken | undefined, now: number, lastsMs: number | undefined): void {
  if (!maker?.expires_at) return
  if (lastsMs !== undefined && now + lastsMs <= Date.parse(maker.expires_at)) return
  throw new Problem(
    403,
    'outlives_maker',
    `The token of this caller ends at ${maker.expires_at}; one that it makes cannot last longer`,
    {
      hint: 'Give a shorter "expires", or use a token that lasts longer, or tapdeck token create on the machine of the hub.',
    },
  )
}

/** Throws 400 with the roles there are. */
export function requireRole(name: string, roles: readonly { readonly name: string }[]): void {
  if (roles.some((role) => role.name === name)) return
  throw new Problem(400, 'unknown_role', `No role named "${name}"`, {
    hint: `Known roles: ${roles.map((role) => role.name).join(', ')}.`,
  })
}

function withoutDigest({ digest: _, ...token }: ApiToken): Omit<ApiToken, 'digest'> {
  return token
}
