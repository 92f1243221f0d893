import type { CompactCall } from '@tapdeck/dissect'

/** The state of an action, as operations return it. */
export interface ActionState {
  readonly done: number
  readonly failed: number
  readonly dropped: number
  readonly waiting: number
  readonly last_error?: string
}

/** What an agent does with matching calls. `take` never waits: what it cannot take it counts as dropped. */
export interface Action {
  take(calls: readonly CompactCall[], skipped: number): void
  readonly state: ActionState
  close(): void
}
