import type { OperationOutput } from '@tapdeck/api'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { dateColumn } from '../output/clock.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

type Dissection = OperationOutput<'get_snapshot_dissection'>

export const dissectionList = command({
  name: 'dissection list',
  summary: 'Lists the dissections, all or those of one snapshot, newest first.',
  operations: ['list_snapshot_dissections'],
  takes: '[SNAPSHOT]',
  words: [0, 1],
  options: hubOptions,
  async run(input) {
    const { options, terminal } = input
    const answer = await openHub(input).call('list_snapshot_dissections', { snapshot: input.words[0] })
    if (!wantsTable(options, terminal)) await showJson(terminal, answer)
    else
      await terminal.out(
        formatTable(
          [
            {
              title: 'DATABASE',
              cell: (one) => `${one.snapshot_name}/${one.dissection_name}`,
              shrinks: true,
            },
            { title: 'STATUS', cell: (one) => one.status },
            { title: 'PROGRESS', cell: (one) => `${one.progress} %`, align: 'right' },
            { title: 'CALLS', cell: (one) => one.call_count, align: 'right' },
            { title: 'FLOWS', cell: (one) => one.flow_count, align: 'right' },
            dateColumn('FINISHED', (one: Dissection) => one.finished_at, options),
          ],
          answer.dissections,
          terminal,
        ),
      )
    return exitStatus.done
  },
})
