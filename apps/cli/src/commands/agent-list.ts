import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

export const agentList = command({
  name: 'agent list',
  summary: 'Lists the network agents of a running hub.',
  options: hubOptions,
  async run(input) {
    const { options, terminal } = input
    const answer = await openHub(input).call('list_agents', {})
    if (!wantsTable(options, terminal)) await showJson(terminal, answer)
    else
      await terminal.out(
        formatTable(
          [
            { title: 'NAME', cell: (one) => one.name, shrinks: true },
            { title: 'STATUS', cell: (one) => one.status },
            { title: 'MATCHED', cell: (one) => one.matched, align: 'right' },
            { title: 'LOST', cell: (one) => one.lost, align: 'right' },
            { title: 'ACTIONS', cell: (one) => one.actions.map(({ kind }) => kind).join(', ') },
            { title: 'FILTER', cell: (one) => one.kfl, shrinks: true },
          ],
          answer.agents,
          terminal.width,
        ),
      )
    return exitStatus.done
  },
})
