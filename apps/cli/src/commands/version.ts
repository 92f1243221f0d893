import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { tapdeckVersion } from '../version.ts'

export const version = command({
  name: 'version',
  summary: 'Prints the version.',
  options: { json: flag('Prints JSON.') },
  async run({ options, terminal }) {
    if (options.json) await showJson(terminal, { version: tapdeckVersion, node: process.version })
    else await terminal.out(`tapdeck ${tapdeckVersion}\n`)
    return exitStatus.done
  },
})
