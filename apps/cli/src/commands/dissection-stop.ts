import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const dissectionStop = command({
  name: 'dissection stop',
  summary: 'Cancels a dissection that is pending or running.',
  operations: ['stop_snapshot_dissection'],
  takes: 'SNAPSHOT NAME',
  words: [2, 2],
  options: hubOptions,
  async run(input) {
    const { options, terminal } = input
    const [snapshot, name] = input.words as [string, string]
    const answer = await openHub(input).call('stop_snapshot_dissection', { snapshot, name })
    if (wantsTable(options, terminal)) await terminal.out(`Stopped dissection ${snapshot}/${name}\n`)
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})
