import { command } from '../command.ts'
import { hubOptions, openHub } from '../hub/hub-options.ts'
import { nodeColumns } from '../hub/node-columns.ts'
import { showList } from '../hub/show-list.ts'

export const nodes = command({
  name: 'nodes',
  summary: 'Lists the nodes: connection, capture, packets, calls and losses.',
  operations: ['get_status'],
  options: hubOptions,
  async run(input) {
    const { nodes, missing_nodes, excluded_nodes } = await openHub(input).call('get_status', {})
    for (const { name, reason } of [...(missing_nodes ?? []), ...(excluded_nodes ?? [])])
      input.terminal.note(`${name}: ${reason}`)
    const answer = {
      nodes,
      ...(missing_nodes && { missing_nodes }),
      ...(excluded_nodes && { excluded_nodes }),
    }
    return showList(input, answer, nodes, nodeColumns)
  },
})
