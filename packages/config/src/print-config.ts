import { stringify } from 'yaml'
import type { Config } from './schema.ts'

const secrets = ['tap.auth.oidc.clientSecret']

export function isSecret(path: string): boolean {
  return secrets.includes(path)
}

/** A configuration as a values file that gives it; secrets are left out. */
export function printConfig(config: Config): string {
  const { tap } = config
  const { oidc } = tap.auth
  if (oidc.clientSecret === '') return stringify(config)
  const hidden = { ...tap.auth, oidc: { ...oidc, clientSecret: '(hidden)' } }
  return stringify({ ...config, tap: { ...tap, auth: hidden } })
}
