import { stringify } from 'yaml'
import { isKeyBelow } from './restart-keys.ts'
import type { Config } from './schema.ts'

const secrets = ['tap.auth.oidc.clientSecret', 'tap.telemetry.otlp.headers']
const HIDDEN = '(hidden)'

export function isSecret(path: string): boolean {
  return secrets.some((one) => isKeyBelow(path, one))
}

/** A configuration as a values file that gives it; secrets are left out. */
export function printConfig(config: Config): string {
  const { tap } = config
  const { oidc } = tap.auth
  const { otlp } = tap.telemetry
  const headers = Object.fromEntries(Object.keys(otlp.headers).map((name) => [name, HIDDEN]))
  const clientSecret = oidc.clientSecret === '' ? '' : HIDDEN
  return stringify({
    ...config,
    tap: {
      ...tap,
      auth: { ...tap.auth, oidc: { ...oidc, clientSecret } },
      telemetry: { ...tap.telemetry, otlp: { ...otlp, headers } },
    },
  })
}
