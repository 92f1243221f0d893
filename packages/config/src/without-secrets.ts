import { isKeyBelow } from './restart-keys.ts'
import type { Config } from './schema.ts'

const secrets = ['tap.auth.oidc.clientSecret', 'tap.telemetry.otlp.headers']
const HIDDEN = '(hidden)'
/** The credentials in an address: `https://user:password@host`. A password may contain `@` and spaces: the last `@` counts. */
const CREDENTIALS = /(:\/\/)[^/\\?#]+@/g
/** Of an address: some receivers take their key as a parameter. */
const PARAMETERS = /^(https?:\/\/[^?#]*)[?#].+$/is

export function isSecret(path: string): boolean {
  return secrets.some((one) => isKeyBelow(path, one))
}

/** A configuration whose secrets are replaced; the names of secret entries stay. */
export function withoutSecrets(config: Config): Config {
  return shown(config, '') as Config
}

/** The value of one key in the same way. */
export function shownValue(key: string, value: unknown): unknown {
  return shown(value, key)
}

function shown(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((one) => shown(one, path))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, shown(one, path === '' ? name : `${path}.${name}`)]),
    )
  if (isSecret(path)) return value === '' ? '' : HIDDEN
  if (typeof value !== 'string') return value
  return value.replaceAll(CREDENTIALS, `$1${HIDDEN}@`).replace(PARAMETERS, `$1?${HIDDEN}`)
}
