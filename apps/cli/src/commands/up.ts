import { command } from '../command.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'

export const up = command({
  name: 'up',
  summary: 'Runs the hub and the worker of this machine, with dashboard and API on one port.',
  options: configOptions,
  notes:
    'Capturing packets needs CAP_NET_RAW; without it everything else works. See docs/configuration.md for the keys.',
  async run({ options, env, terminal }) {
    const { superviseParts } = await import('../parts/supervisor.ts')
    return superviseParts(await loadConfig(options, env), terminal.note)
  },
})
