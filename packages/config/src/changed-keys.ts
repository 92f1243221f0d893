import { configKeys } from './config-keys.ts'
import type { Config } from './schema.ts'

/** The keys whose values differ between two configurations, in the order of the schema. */
export function changedKeys(before: Config, after: Config): string[] {
  return configKeys
    .map(({ path }) => path)
    .filter((path) => JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(after, path)))
}

export function valueAt(config: Config, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config)
}
