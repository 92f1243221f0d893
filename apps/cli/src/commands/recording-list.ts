import { formatBytes } from '@tapdeck/units'
import { command } from '../command.ts'
import { hubOptions, openHub } from '../hub/hub-options.ts'
import { showList } from '../hub/show-list.ts'
import { dateColumn } from '../output/clock.ts'

export const recordingList = command({
  name: 'recording list',
  summary: 'Lists the recordings of a running hub.',
  operations: ['list_recordings'],
  options: hubOptions,
  async run(input) {
    const answer = await openHub(input).call('list_recordings', {})
    return showList(input, answer, answer.recordings, [
      { title: 'NAME', cell: (one) => one.name, shrinks: true },
      { title: 'STATUS', cell: (one) => one.status },
      dateColumn('START', (one) => one.starts_at, input.options),
      { title: 'SIZE', cell: (one) => formatBytes(one.size_bytes), align: 'right' },
      { title: 'PACKETS', cell: (one) => one.packet_count, align: 'right', isOptional: true },
      { title: 'DATABASE', cell: (one) => one.db, isRare: true, shrinks: true },
      {
        title: 'FILTER',
        cell: (one) => one.kfl_withheld ?? (one.kfl || undefined),
        shrinks: true,
        isRare: true,
      },
    ])
  },
})
