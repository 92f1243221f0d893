import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { ProblemNote } from './problem-note.tsx'

interface State {
  readonly reason: Error | undefined
}

/** A mistake of ours while drawing: said plainly, with a way on, in place of a blank page. */
export class CrashBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { reason: undefined }

  static getDerivedStateFromError(reason: unknown): State {
    return { reason: reason instanceof Error ? reason : new Error(String(reason)) }
  }

  override render(): ReactNode {
    const { reason } = this.state
    if (!reason) return this.props.children
    return (
      <main className="empty start">
        <ProblemNote problem={new Error(`The page could not be drawn: ${reason.message}`)}>
          <Button onClick={() => location.reload()}>Reload</Button>
        </ProblemNote>
      </main>
    )
  }
}
