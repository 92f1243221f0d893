import { command } from '../command.ts'
import { hubOptions, openHub } from '../hub/hub-options.ts'
import { showList } from '../hub/show-list.ts'
import { formatBytes } from '../output/units.ts'

export const recordingList = command({
  name: 'recording list',
  summary: 'Lists the recordings of a running hub.',
  options: hubOptions,
  async run(input) {
    const answer = await openHub(input).call('list_recordings', {})
    return showList(input, answer, answer.recordings, [
      { title: 'NAME', cell: (one) => one.name, shrinks: true },
      { title: 'STATUS', cell: (one) => one.status },
      { title: 'START', cell: (one) => one.starts_at.slice(0, 19) },
      { title: 'SIZE', cell: (one) => formatBytes(one.size_bytes), align: 'right' },
      { title: 'PACKETS', cell: (one) => one.packet_count, align: 'right' },
      { title: 'DATABASE', cell: (one) => one.db ?? '' },
      { title: 'FILTER', cell: (one) => one.kfl, shrinks: true },
    ])
  },
})
