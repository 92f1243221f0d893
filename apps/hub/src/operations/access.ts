import { isRoleName, Problem } from '@tapdeck/api'
import { type ApiToken, maxMakerName } from '@tapdeck/api/credentials'
import type { Handler } from './handler.ts'

const DEFAULT_LIFE_MS = 90 * 86_400_000

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
  const at = now()
  const maker = caller.token === undefined ? undefined : access.tokens.get(caller.token, at)
  const lastsMs = lifeOf(input.expires, maker?.expires_at ? Date.parse(maker.expires_at) - at : undefined)
  const created_by = caller.name.slice(0, maxMakerName)
  const { record, token } = await access.tokens.create({ ...input, created_by }, at, lastsMs)
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

/**
 * How long a new token lasts; undefined: for ever. Throws 403 where it would last longer than the token that makes it,
 * which ends in `makerLeftMs`: its rights would outlive its end.
 */
function lifeOf(asked: number | 'never' | undefined, makerLeftMs: number | undefined): number | undefined {
  if (asked === undefined) return Math.min(DEFAULT_LIFE_MS, makerLeftMs ?? DEFAULT_LIFE_MS)
  const lastsMs = asked === 'never' ? undefined : asked
  if (makerLeftMs === undefined || (lastsMs !== undefined && lastsMs <= makerLeftMs)) return lastsMs
  throw new Problem(403, 'outlives_maker', 'A token cannot make one that lasts longer than itself', {
    hint: 'Leave "expires" out or give less, or use a token that lasts longer, or tapdeck token create on the machine of the hub.',
  })
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
