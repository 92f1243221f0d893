import type { CompactCall } from '@tapdeck/dissect'
import type { Log } from '../log.ts'
import type { Action, ActionState } from './action.ts'

const LINES_A_SECOND = 20

/** A line in the hub's log for each matching call, within a rate. */
export class LogAction implements Action {
  readonly #agent: string
  readonly #level: 'info' | 'warn' | 'error'
  readonly #log: Log
  #done = 0
  #dropped = 0
  #second = 0
  #inSecond = 0

  constructor(agent: string, level: 'info' | 'warn' | 'error', log: Log) {
    this.#agent = agent
    this.#level = level
    this.#log = log
  }

  get state(): ActionState {
    return { done: this.#done, failed: 0, dropped: this.#dropped, waiting: 0 }
  }

  take(calls: readonly CompactCall[]): void {
    for (const call of calls) this.write({ call })
  }

  /** One line; counted instead of written where there are too many. */
  write(what: object): void {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    if (this.#inSecond++ >= LINES_A_SECOND) {
      this.#dropped++
      return
    }
    this.#done++
    this.#log[this.#level]({ agent: this.#agent, ...what }, 'network agent matched a call')
  }

  close(): void {}
}
