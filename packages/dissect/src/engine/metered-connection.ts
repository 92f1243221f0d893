import type { Flow, Loss } from '@tapdeck/wire'
import type { FastPaths } from '../accelerated/fast-paths.ts'
import type { Connection } from '../contract/dissector.ts'
import type { Limits } from '../contract/limits.ts'
import type { Handoff } from '../contract/message.ts'
import type { Allowance } from '../memory/budget.ts'
import type { EngineContext } from './engine-context.ts'

/** Counts what a connection reserves from the budget, so that all of it is released at the end. */
export class MeteredConnection implements Connection, Allowance {
  readonly flow: Flow
  /** Set by the previous protocol in a handoff. */
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

  get fastPaths(): FastPaths {
    return this.engine.fastPaths
  }

  get keys(): Connection['keys'] {
    return this.engine.keys()
  }

  get concealsDecrypted(): boolean {
    return this.engine.concealsDecrypted
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

  /** Releases what is still reserved. */
  protected settle(): void {
    this.give(this.#taken)
  }
}
