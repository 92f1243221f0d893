import type { ConfigFlags } from './config-sources.ts'
import type { ResolvedConfig } from './resolve-config.ts'

/**
 * What the command line hands to the hub and the worker it starts: the checked configuration, and where it came from,
 * so that the hub can read the files again when they change.
 */
export interface Boot extends ResolvedConfig {
  readonly sources: BootSources
}

/** As `ConfigSources`, with files by absolute path. */
export interface BootSources {
  readonly files: readonly string[]
  readonly set: readonly string[]
  readonly setString: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: ConfigFlags
}

/** The environment variable that carries it, as JSON. */
export const bootVariable = 'TAPDECK_BOOT'

/** Throws where the process was not started by the command line. */
export function readBoot(env: Readonly<Record<string, string | undefined>>): Boot {
  const text = env[bootVariable]
  if (text === undefined)
    throw new Error(`${bootVariable} is not set: start this process with the tapdeck command`)
  return JSON.parse(text) as Boot
}
