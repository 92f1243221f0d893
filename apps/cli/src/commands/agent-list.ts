import { command } from '../command.ts'
import { hubOptions, openHub } from '../hub/hub-options.ts'
import { showList } from '../hub/show-list.ts'

export const agentList = command({
  name: 'agent list',
  summary: 'Lists the network agents of a running hub.',
  operations: ['list_agents'],
  options: hubOptions,
  async run(input) {
    const answer = await openHub(input).call('list_agents', {})
    return showList(input, answer, answer.agents, [
      { title: 'NAME', cell: (one) => one.name, shrinks: true },
      { title: 'STATUS', cell: (one) => one.status },
      { title: 'MATCHED', cell: (one) => one.matched, align: 'right' },
      { title: 'LOST', cell: (one) => one.lost, align: 'right' },
      { title: 'ACTIONS', cell: (one) => one.actions.map(({ kind }) => kind).join(', ') },
      { title: 'FILTER', cell: (one) => one.kfl_withheld ?? one.kfl, shrinks: true },
    ])
  },
})
