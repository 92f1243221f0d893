import { stringify } from 'yaml'
import type { Config } from './schema.ts'
import { withoutSecrets } from './without-secrets.ts'

/** A configuration as a values file that gives it; secrets are left out. */
export function printConfig(config: Config): string {
  return stringify(withoutSecrets(config))
}
