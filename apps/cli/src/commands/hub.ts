import { command } from '../command.ts'
import { claimFolder } from '../parts/claim-folder.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { runPart } from '../parts/run-part.ts'

export const hub = command({
  name: 'hub',
  summary: 'Runs the hub alone; workers connect to it.',
  options: configOptions,
  notes:
    'Each worker proves itself by a credential of its own: `tapdeck token worker NODE` shows it. They are made of TAPDECK_WORKER_TOKEN, or of the file worker.token in the data folder.',
  async run({ options, env }) {
    const boot = loadConfig(options, env)
    const release = await claimFolder(boot.config.data)
    const status = await runPart('hub', boot)
    release()
    return status
  },
})
