import { command } from '../command.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { runPart } from '../parts/run-part.ts'

export const hub = command({
  name: 'hub',
  summary: 'Runs the hub alone; workers connect to it.',
  options: configOptions,
  notes:
    'Each worker has its own credential: `tapdeck token worker NODE` prints it. Credentials are derived from TAPDECK_WORKER_TOKEN, or from the file worker.token in the data folder.',
  run: async ({ options, env }) => runPart('hub', await loadConfig(options, env)),
})
