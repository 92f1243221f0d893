import type { Flow, Loss } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import type { Connection } from '../dissector.ts'
import type { Limits } from '../limits.ts'
import type { Handoff } from '../message.ts'
import type { EngineContext } from './engine-context.ts'

/** A connection that accounts for what it keeps, so that nothing of it is lost to the budget, however it ends. */
export class MeteredConnection implements Connection, Allowance {
  readonly flow: Flow
  /** Handed over by one protocol to the next. */
  declare context?: NonNullable<Handoff['context']>
  protected readonly engine: EngineContext
  #taken = 0

  constructor(flow: Flow, engine: EngineContext) {
    this.flow = flow
    this.engine = engine
  }

  get limits(): Limits {
    return this.engine.limits
  }

  get loss(): Loss {
    return this.engine.loss
  }

  get copy(): Connection['copy'] {
    return this.engine.copy
  }

  get arena(): Connection['arena'] {
    return this.engine.arena
  }

  get budget(): Allowance {
    return this
  }

  take(bytes: number): boolean {
    if (!this.engine.budget.take(bytes)) return false
    this.#taken += bytes
    return true
  }

  give(bytes: number): void {
    this.engine.budget.give(bytes)
    this.#taken -= bytes
  }

  /** Gives back all that is left. */
  protected settle(): void {
    this.give(this.#taken)
  }
}
