import './footer.css'
import { count, countOf } from '../format/amount.ts'
import { zoneName } from '../format/time.ts'
import { addLosses, lossEntries } from '../live/loss-ledger.ts'
import { useSession } from '../live/session-context.ts'
import { useStore } from '../live/use-store.ts'
import { Icon } from '../ui/icon.tsx'

/** What the nodes saw since they started, and what they lost. Loss is never hidden, nor is its absence. */
export function Footer() {
  const nodes = useStore(useSession().nodes)
  const losses = lossEntries(addLosses(nodes.map((node) => node.loss)))
  const grave = losses.filter((entry) => entry.grave)
  const captured = nodes.reduce((sum, node) => sum + node.packets_captured, 0)
  const dissected = nodes.reduce((sum, node) => sum + node.packets_dissected, 0)
  const calls = nodes.reduce((sum, node) => sum + node.calls + (node.backfill?.calls ?? 0), 0)
  return (
    <footer className="footer">
      {nodes.length > 0 && (
        <>
          <span className="roomy" title={nodes.map((node) => node.name).join(', ')}>
            {countOf(nodes.length, 'node')}
          </span>
          <span>
            <b>{count(captured)}</b> packets captured
          </span>
          <span className="roomy">
            <b>{count(dissected)}</b> dissected
          </span>
          <span className="roomy">
            <b>{count(calls)}</b> calls
          </span>
          <details className="losses">
            <summary className={grave.length > 0 ? 'grave' : undefined}>
              {grave.length > 0 && <Icon name="warning" size={12} />}
              <span className="cut">
                {grave.length > 0
                  ? grave.map((entry) => `${count(entry.count)} ${entry.text}`).join(', ')
                  : 'No packets dropped'}
              </span>
            </summary>
            <div className="losses-panel">
              <h3>Lost or damaged since the start</h3>
              {losses.length === 0 ? (
                <p>Nothing.</p>
              ) : (
                <ul>
                  {losses.map((entry) => (
                    <li key={entry.kind} className={entry.grave ? 'grave' : undefined}>
                      <b>{count(entry.count)}</b> {entry.text}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </details>
        </>
      )}
      <span className="grow" />
      <span className="roomy" title={Intl.DateTimeFormat().resolvedOptions().timeZone}>
        Times in {zoneName(new Date().getTimezoneOffset())}
      </span>
      <span className="keys" aria-hidden="true">
        <kbd>/</kbd> filter <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close{' '}
        <kbd>?</kbd> docs
      </span>
    </footer>
  )
}
