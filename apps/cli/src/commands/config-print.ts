import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'

export const configPrint = command({
  name: 'config print',
  summary: 'Prints the configuration that results from files, environment and options.',
  options: { ...configOptions, json: flag('Prints JSON instead of YAML.') },
  async run({ options, env, terminal }) {
    const { config } = await loadConfig(options, env)
    if (options.json) await showJson(terminal, config)
    else await terminal.out((await import('../parts/print-config.ts')).printConfig(config))
    return exitStatus.done
  },
})
