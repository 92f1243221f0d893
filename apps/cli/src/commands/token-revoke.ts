import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { TokenRepository } from '../tokens/token-repository.ts'

const { values, set, data } = configOptions

export const tokenRevoke = command({
  name: 'token revoke',
  summary: 'Revokes an API token: it is invalid within a second, and its streams and sessions end.',
  takes: 'ID|NAME',
  words: [1, 1],
  options: { data, values, set, 'set-string': configOptions['set-string'], json: flag('Prints JSON.') },
  async run({ options, words, env, terminal }) {
    const { config } = await loadConfig({ ...options, host: undefined, port: undefined, interface: [] }, env)
    const { id, name, role } = await new TokenRepository(config.data).revoke(words[0]!)
    if (options.json) await showJson(terminal, { success: true, id, name, role })
    else await terminal.out(`Token ${id} (${name}, ${role}) is revoked\n`)
    return exitStatus.done
  },
})
