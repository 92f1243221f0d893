// biome-ignore-all lint/a11y/useSemanticElements: a table cannot place its rows by transform
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at a row with aria-activedescendant
import { countOf } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { peerName } from '../../format/peer.ts'
import { Icon } from '../../ui/icon.tsx'
import type { GroupHead } from './list-rows.ts'

export interface GroupRowProps {
  readonly head: GroupHead
  readonly id: string
  readonly row: number
  readonly columns: number
  readonly top: number
  readonly isCursor: boolean
  readonly onToggle: (key: string) => void
}

/** The head of a group: what it is about, how many calls it has, how many failed. */
export function GroupRow({ head, id, row, columns, top, isCursor, onToggle }: GroupRowProps) {
  const { first, name, calls, failed, tookMs, isOpen } = head
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      role="row"
      id={id}
      className={`row group-head${isCursor ? ' cursor' : ''}${isOpen ? ' unfolded' : ''}`}
      aria-rowindex={row + 2}
      aria-expanded={isOpen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onToggle(head.key)}
    >
      <div role="gridcell" className="cell group-cell" aria-colspan={columns}>
        <Icon name="expand" size={12} />
        <b>{countOf(calls, 'call')}</b>
        {failed > 0 && <span className="outcome bad">{failed} failed</span>}
        <span className="soft">{latency(tookMs)}</span>
        <span className="cut">
          {peerName(first.src, 'src')} → {peerName(first.dst, 'dst')} {first.method} {first.path}
        </span>
        <code className="cut soft group-name">{name}</code>
      </div>
    </div>
  )
}
