import type { ReactNode } from 'react'
import { Store } from '../live/store.ts'
import { useStore } from '../live/use-store.ts'
import { Icon } from './icon.tsx'
import { ProblemNote } from './problem-note.tsx'

interface Alert {
  readonly key: number
  readonly problem: Error
}

const most = 3
const alerts = new Store<readonly Alert[]>([])
let lastKey = 0

/** Shows a failure that has no other place on the page, until the user closes it. */
export function tell(problem: Error): void {
  const others = alerts.get().filter((alert) => alert.problem.message !== problem.message)
  alerts.set([...others, { key: ++lastKey, problem }].slice(-most))
}

/** `children`: what else the page reports, whatever view is open. */
export function Alerts({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="alerts">
      {children}
      {useStore(alerts).map(({ key, problem }) => (
        <ProblemNote key={key} problem={problem}>
          <button
            type="button"
            className="button bare square"
            aria-label="Close this message"
            onClick={() => alerts.set(alerts.get().filter((alert) => alert.key !== key))}
          >
            <Icon name="close" />
          </button>
        </ProblemNote>
      ))}
    </div>
  )
}
