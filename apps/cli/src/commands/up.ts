import { command } from '../command.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { superviseParts } from '../parts/supervisor.ts'

export const up = command({
  name: 'up',
  summary: 'Runs the hub and the worker of this machine, with dashboard and API on one port.',
  options: configOptions,
  notes:
    'Capturing packets needs CAP_NET_RAW; without it everything else works. See docs/configuration.md for the keys.',
  run: ({ options, env, terminal }) => superviseParts(loadConfig(options, env), terminal.note),
})
