import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const recordingDelete = command({
  name: 'recording delete',
  summary: 'Deletes a recording with its packets and its database.',
  operations: ['delete_recording'],
  takes: 'NAME',
  words: [1, 1],
  options: hubOptions,
  async run(input) {
    const { options, words, terminal } = input
    const answer = await openHub(input).call('delete_recording', { name: words[0]! })
    if (wantsTable(options, terminal)) await terminal.out(`Deleted recording ${words[0]}\n`)
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})
