import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiToken, formatToken, tokenDigest, tokenFolder } from '@tapdeck/api/credentials'

export interface GivenToken {
  readonly token: string
  readonly id: string
  /** For requests. */
  readonly headers: { readonly authorization: string }
  revoke(): void
}

/** An API token in a data folder, made as the command line makes it. */
export function giveToken(folder: string, role: string, more: Partial<ApiToken> = {}): GivenToken {
  const token = formatToken(randomBytes(32))
  const id = randomBytes(6).toString('hex')
  const record: ApiToken = {
    id,
    name: `a ${role}`,
    role,
    digest: tokenDigest(token),
    created_at: new Date().toISOString(),
    expires_at: null,
    ...more,
  }
  const file = join(folder, tokenFolder, `${id}.json`)
  mkdirSync(join(folder, tokenFolder), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(record))
  renameSync(`${file}.new`, file)
  return { token, id, headers: { authorization: `Bearer ${token}` }, revoke: () => rmSync(file) }
}
