import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const dissectionDelete = command({
  name: 'dissection delete',
  summary: 'Deletes a dissection and its database; the snapshot stays.',
  operations: ['delete_snapshot_dissection'],
  takes: 'SNAPSHOT NAME',
  words: [2, 2],
  options: hubOptions,
  async run(input) {
    const { options, terminal } = input
    const [snapshot, name] = input.words as [string, string]
    const answer = await openHub(input).call('delete_snapshot_dissection', { snapshot, name })
    if (wantsTable(options, terminal)) await terminal.out(`Deleted dissection ${snapshot}/${name}\n`)
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})
