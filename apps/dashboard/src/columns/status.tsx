import type { CompactCall } from '../client/call-details.ts'
import { Icon } from '../ui/icon.tsx'
import type { Column } from './column.ts'
import { outcomeOf } from './outcome.ts'

export const statusColumn: Column = {
  id: 'status',
  title: 'Status',
  wide: { least: 104 },
  medium: { least: 84 },
  render: (call) => <Status call={call} />,
  tooltip: (call) => call.error?.replaceAll('_', ' '),
}

/** Failures carry a mark and a word for those who do not see the colour. */
export function Status({ call }: { readonly call: CompactCall }) {
  const { text, kind } = outcomeOf(call)
  return (
    <span className={`outcome ${kind}`}>
      {kind === 'bad' && <Icon name="warning" size={12} />}
      <span className="cut">{text}</span>
      {kind === 'bad' && <span className="unseen"> failed</span>}
    </span>
  )
}
