import type { Boot } from '@tapdeck/config'
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

/** Reads and checks the configuration, and makes its paths absolute. Rejects with `ConfigError`. */
export async function loadConfig(
  options: OptionValues<typeof configOptions>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Boot> {
  const { readConfig } = await import('./read-config.ts')
  return readConfig(options, env)
}
