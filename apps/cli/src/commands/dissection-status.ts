import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showDissection } from '../hub/show-dissection.ts'

export const dissectionStatus = command({
  name: 'dissection status',
  summary: 'Shows one dissection, or the latest.',
  operations: ['get_snapshot_dissection_status'],
  takes: '[SNAPSHOT NAME]',
  words: [0, 2],
  options: hubOptions,
  async run(input) {
    const [snapshot, name] = input.words
    if (snapshot !== undefined && name === undefined)
      throw new UsageError('expected SNAPSHOT NAME, or neither')
    const dissection = await openHub(input).call('get_snapshot_dissection_status', {
      snapshot_name: snapshot,
      dissection_name: name,
    })
    await showDissection(dissection, wantsTable(input.options, input.terminal), input.terminal)
    return exitStatus.done
  },
})
