import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workerCredential } from '@tapdeck/api/credentials'
import { command, exitStatus } from '../command.ts'
import { CommandFailed } from '../command-failed.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'

const { values, set, data } = configOptions

export const tokenWorker = command({
  name: 'token worker',
  summary: 'Prints the credential of the worker of one node for this hub.',
  takes: 'NODE',
  words: [1, 1],
  options: { data, values, set, 'set-string': configOptions['set-string'] },
  notes:
    'Give it to that worker as TAPDECK_WORKER_TOKEN, or as a file named by TAPDECK_WORKER_TOKEN_FILE. It is valid for this node only (tap.node, or else the host name). See docs/access.md.',
  async run({ options, words, env, terminal }) {
    const { config } = await loadConfig({ ...options, host: undefined, port: undefined, interface: [] }, env)
    const file = join(config.data, 'worker.token')
    const secret = env.TAPDECK_WORKER_TOKEN || (await readFile(file, 'utf8').catch(() => '')).trim()
    if (secret === '')
      throw new CommandFailed(`there is no ${file}`, {
        hint: '`tapdeck hub` makes it at its first start. Run this on the machine of the hub; --data names its data folder.',
      })
    await terminal.out(`${workerCredential(secret, words[0]!)}\n`)
    return exitStatus.done
  },
})
