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
    const { nodes } = await openHub(input).call('get_status', {})
    return showList(input, { nodes }, nodes, nodeColumns)
  },
})
