import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Boot, ConfigError, configFiles, resolveConfig } from '@tapdeck/config'

/** The values of `configOptions`. */
export interface GivenConfig {
  readonly values: readonly string[]
  readonly set: readonly string[]
  readonly 'set-string': readonly string[]
  readonly host: string | undefined
  readonly port: string | undefined
  readonly data: string | undefined
  readonly interface: readonly string[]
}

/** `loadConfig`, with the schema and the reader of YAML: these take long to load. Throws `ConfigError`. */
export function readConfig(options: GivenConfig, env: Readonly<Record<string, string | undefined>>): Boot {
  const { host, port, data } = options
  const sources = {
    files: configFiles(env, options.values).map((file) => resolve(file)),
    set: options.set,
    setString: options['set-string'],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('TAPDECK_'))),
    flags: {
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(data !== undefined && { data }),
      ...(options.interface.length > 0 && { interface: options.interface }),
    },
  }
  const files = sources.files.map((name) => ({ name, text: readFile(name) }))
  const { config, origins } = resolveConfig({ ...sources, files })
  const inventory = config.tap.inventory && resolve(config.tap.inventory)
  const absolute = { ...config, data: resolve(config.data), tap: { ...config.tap, inventory } }
  return { config: absolute, origins, sources }
}

function readFile(name: string): string {
  try {
    return readFileSync(name, 'utf8')
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ path: '', message: `cannot be read: ${message}`, from: name }])
  }
}
