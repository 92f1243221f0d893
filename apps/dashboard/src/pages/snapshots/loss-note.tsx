import { count } from '../../format/amount.ts'
import { type Loss, lossEntries } from '../../live/loss-ledger.ts'
import { Icon } from '../../ui/icon.tsx'

/** What a result lacks: the grave in the open, the rest one click away. */
export function LossNote({ loss }: { readonly loss: Loss }) {
  const entries = lossEntries(loss)
  if (entries.length === 0) return <span className="soft">Nothing lost</span>
  const isGrave = entries.some((entry) => entry.grave)
  return (
    <details className="loss-note">
      <summary className={isGrave ? 'grave' : undefined}>
        {isGrave && <Icon name="warning" size={12} />}
        {count(entries[0]?.count ?? 0)} {entries[0]?.text}
        {entries.length > 1 && `, ${entries.length - 1} more`}
      </summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.kind}>
            <b>{count(entry.count)}</b> {entry.text}
          </li>
        ))}
      </ul>
    </details>
  )
}
