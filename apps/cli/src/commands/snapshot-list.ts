import { formatBytes } from '@tapdeck/units'
import { command } from '../command.ts'
import { hubOptions, openHub } from '../hub/hub-options.ts'
import { showList } from '../hub/show-list.ts'
import { dateColumn } from '../output/clock.ts'

export const snapshotList = command({
  name: 'snapshot list',
  summary: 'Lists the snapshots, newest first.',
  operations: ['list_snapshots'],
  options: hubOptions,
  async run(input) {
    const answer = await openHub(input).call('list_snapshots', {})
    return showList(input, answer, answer.snapshots, [
      { title: 'NAME', cell: (one) => one.name, shrinks: true },
      { title: 'STATUS', cell: (one) => one.status },
      dateColumn('CREATED', (one) => one.created_at, input.options),
      { title: 'DURATION', cell: (one) => one.duration, isOptional: true },
      { title: 'SIZE', cell: (one) => formatBytes(one.size_bytes), align: 'right' },
      { title: 'PACKETS', cell: (one) => one.packet_count, align: 'right' },
      { title: 'NODES', cell: (one) => one.node_count, align: 'right', isOptional: true },
    ])
  },
})
