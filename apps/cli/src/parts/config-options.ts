import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Boot, ConfigError, configFiles, resolveConfig } from '@tapdeck/config'
import { type OptionValues, text, texts } from '../arguments/option.ts'

/** Options of every command that reads the configuration. */
export const configOptions = {
  values: texts('FILE', 'A values file in YAML; later files win.', { short: 'f' }),
  set: texts('KEY=VALUE', "Sets keys, in Helm's notation."),
  'set-string': texts('KEY=VALUE', 'The same, with values kept as text.'),
  host: text('ADDRESS', 'Address the hub listens on (hub.host).'),
  port: text('PORT', 'Port of the dashboard and the API (hub.port).'),
  data: text('FOLDER', 'Where recordings, snapshots and indexes are kept (data).'),
  interface: texts('NAME', 'Network interface to capture on, or any (tap.capture.interfaces).', {
    short: 'i',
  }),
}

/** Reads and checks the configuration, and makes its paths absolute. Throws `ConfigError`. */
export function loadConfig(
  options: OptionValues<typeof configOptions>,
  env: Readonly<Record<string, string | undefined>>,
): Boot {
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
