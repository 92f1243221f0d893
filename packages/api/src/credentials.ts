import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ApiToken } from './api-token.ts'

export { type ApiToken, apiToken, maxMakerName } from './api-token.ts'

/**
 * Credentials that are ours: API tokens of callers, and the credentials of workers. Both the command line, which makes
 * them, and the hub, which checks them, read this page. An API token itself is never stored, only its digest.
 */
export const tokenPrefix = 'tpd_'
export const tokenSecretBytes = 32
/** Below the data folder: one file a token, `<id>.json`. Making and revoking one is making and deleting its file. */
export const tokenFolder = 'access/tokens'
/** Below the data folder, written by the hub alone: token id → Unix milliseconds. */
export const lastUsedFile = 'access/last-used.json'
export const mostTokens = 10_000

/** The token that is shown once, of 32 random bytes. */
export function formatToken(secret: Uint8Array): string {
  if (secret.length !== tokenSecretBytes) throw new RangeError('a token is made of 32 random bytes')
  return tokenPrefix + Buffer.from(secret).toString('base64url')
}

/** A new token and what is kept of it, of random bytes: 32 for the secret, 6 for the id. */
export function newToken(
  given: Pick<ApiToken, 'name' | 'role' | 'created_by'>,
  random: { readonly secret: Uint8Array; readonly id: Uint8Array },
  now: number,
  lastsMs: number | undefined,
): { readonly record: ApiToken; readonly token: string } {
  const token = formatToken(random.secret)
  const record = {
    id: Buffer.from(random.id).toString('hex'),
    name: given.name,
    role: given.role,
    digest: tokenDigest(token),
    created_at: new Date(now).toISOString(),
    expires_at: lastsMs === undefined ? null : new Date(now + lastsMs).toISOString(),
    ...(given.created_by === undefined ? {} : { created_by: given.created_by }),
  }
  return { record, token }
}

export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Takes the same time wherever the two differ. */
export function sameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

const workerPrefix = 'tpw_'

/**
 * What the worker of one node proves itself with: the node's name, and that name signed with the hub's secret. It is
 * valid for this node only, so a stolen credential cannot impersonate another node or create more credentials.
 * With `until` (Unix seconds) it is valid up to then.
 */
export function workerCredential(secret: string, node: string, until?: number): string {
  const name = Buffer.from(node).toString('base64url')
  const signed = until === undefined ? `worker ${node}` : `worker-until ${until} ${node}`
  const signature = createHmac('sha256', secret).update(signed).digest('base64url')
  return `${workerPrefix}${name}.${until === undefined ? '' : `${until}.`}${signature}`
}

/** Whether it is the credential of a node, rather than the secret that those are made of. */
export function isWorkerCredential(text: string): boolean {
  return text.startsWith(workerPrefix)
}

/** The node that a credential is good for, and until when (Unix seconds); undefined where it is good for none, or has expired. */
export function provenNode(
  secret: string,
  credential: string,
  now: number,
): { readonly node: string; readonly until?: number } | undefined {
  const [, name, end] = /^tpw_([\w-]+)\.(?:(\d{1,12})\.)?[\w-]+$/.exec(credential) ?? []
  if (name === undefined) return undefined
  const node = Buffer.from(name, 'base64url').toString()
  const until = end === undefined ? undefined : Number(end)
  if (!sameDigest(tokenDigest(workerCredential(secret, node, until)), tokenDigest(credential)))
    return undefined
  if (until === undefined) return { node }
  return until * 1000 > now ? { node, until } : undefined
}
