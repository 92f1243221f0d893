import type { ReactNode } from 'react'
import { HubProblem } from '../client/hub-problem.ts'
import { Icon } from './icon.tsx'

/** What went wrong and what may help, where it happened. */
export function ProblemNote({
  problem,
  children,
}: {
  readonly problem: Error
  readonly children?: ReactNode
}) {
  const hint = problem instanceof HubProblem ? problem.hint : undefined
  return (
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div className="grow">
        <p>{problem.message}</p>
        {hint && <p className="hint">{hint}</p>}
      </div>
      {children}
    </div>
  )
}
