import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const snapshotDelete = command({
  name: 'snapshot delete',
  summary: 'Deletes a snapshot.',
  operations: ['delete_snapshot'],
  takes: 'NAME',
  words: [1, 1],
  options: { force: flag('Deletes its dissections too.'), ...hubOptions },
  async run(input) {
    const { options, words, terminal } = input
    const force = options.force ? 'true' : undefined
    const answer = await openHub(input).call('delete_snapshot', { name: words[0]!, force })
    if (wantsTable(options, terminal)) await terminal.out(`Deleted snapshot ${words[0]}\n`)
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})
