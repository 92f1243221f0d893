import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showSnapshot } from '../hub/show-snapshot.ts'

export const snapshotGet = command({
  name: 'snapshot get',
  summary: 'Shows one snapshot: status, size and window.',
  operations: ['get_snapshot'],
  takes: 'NAME',
  words: [1, 1],
  options: hubOptions,
  async run(input) {
    const snapshot = await openHub(input).call('get_snapshot', { name: input.words[0]! })
    await showSnapshot(snapshot, wantsTable(input.options, input.terminal), input.terminal)
    return exitStatus.done
  },
})
