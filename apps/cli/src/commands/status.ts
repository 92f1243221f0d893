import { command } from '../command.ts'
import { hubOptions, openHub } from '../hub/hub-options.ts'
import { showStatus } from '../hub/show-status.ts'

export const status = command({
  name: 'status',
  summary:
    'Prints the state of a running hub: the switch, each node, and why a node does not capture or record.',
  operations: ['get_status'],
  options: hubOptions,
  async run(input) {
    const hub = openHub(input)
    const [status, indexing] = await Promise.all([hub.call('get_status', {}), hub.call('get_switch', {})])
    return showStatus(input, { ...status, switch: indexing })
  },
})
