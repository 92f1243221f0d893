import { ConfigError } from '@tapdeck/config/config-error'
import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'

export const configCheck = command({
  name: 'config check',
  summary: 'Checks the configuration without starting anything.',
  options: { ...configOptions, json: flag('Prints the problems as JSON.') },
  async run({ options, env, terminal }) {
    try {
      const { sources } = await loadConfig(options, env)
      if (options.json) await showJson(terminal, { valid: true, problems: [] })
      else
        await terminal.out(`The configuration is right (${sources.files.join(', ') || 'no values file'})\n`)
      return exitStatus.done
    } catch (error) {
      if (!(error instanceof ConfigError) || !options.json) throw error
      await showJson(terminal, { valid: false, problems: error.problems })
      return exitStatus.usage
    }
  },
})
