import { stringify } from 'yaml'
import type { Config } from './schema.ts'

/** A configuration as a values file that gives it. */
export function printConfig(config: Config): string {
  return stringify(config)
}
