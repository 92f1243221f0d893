import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

export const dissectionList = command({
  name: 'dissection list',
  summary: 'Lists the dissections, all or those of one snapshot, newest first.',
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
            { title: 'FINISHED', cell: (one) => one.finished_at?.slice(0, 19) },
          ],
          answer.dissections,
          terminal.width,
        ),
      )
    return exitStatus.done
  },
})
