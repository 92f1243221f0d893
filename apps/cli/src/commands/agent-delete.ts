import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const agentDelete = command({
  name: 'agent delete',
  summary: 'Deletes a network agent.',
  operations: ['delete_agent'],
  takes: 'NAME',
  words: [1, 1],
  options: hubOptions,
  async run(input) {
    const { options, words, terminal } = input
    const answer = await openHub(input).call('delete_agent', { name: words[0]! })
    if (wantsTable(options, terminal)) await terminal.out(`Deleted network agent ${words[0]}\n`)
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})
