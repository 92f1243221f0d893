/** Where a configuration comes from, weakest first. Files come read: this package does no I/O. */
export interface ConfigSources {
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** `--set` texts in Helm's notation. */
  readonly set: readonly string[]
  /** `--set-string` texts: the same, with values kept as text. */
  readonly setString?: readonly string[]
  readonly flags?: ConfigFlags
}

/** Options of their own on the command line. */
export interface ConfigFlags {
  readonly host?: string
  readonly port?: string
  readonly data?: string
  readonly interface?: readonly string[]
}

/** Environment variables that set a key. `TAPDECK_CONFIG` names a values file besides. */
export const configVariables = {
  TAPDECK_HOST: 'hub.host',
  TAPDECK_PORT: 'hub.port',
  TAPDECK_DATA: 'data',
} as const

/** The key behind each option. */
export const configFlags = {
  host: 'hub.host',
  port: 'hub.port',
  data: 'data',
  interface: 'tap.capture.interfaces',
} as const satisfies Record<keyof ConfigFlags, string>

/** Files to read, weakest first: the environment's, then those named on the command line. */
export function configFiles(env: ConfigSources['env'], named: readonly string[]): string[] {
  return [...(env.TAPDECK_CONFIG ? [env.TAPDECK_CONFIG] : []), ...named]
}
