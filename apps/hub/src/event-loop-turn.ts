import { setImmediate } from 'node:timers/promises'

/** Long work on the hub's thread lets others have their turn after so long. */
const MAX_BUSY_MS = 10

/** How long one piece of work has kept the event loop busy since it last gave way. */
export class EventLoopTurn {
  #since = performance.now()

  /** Gives way to other work where this one has run for long. Call it between steps that are short themselves. */
  async yieldIfLong(): Promise<void> {
    if (performance.now() - this.#since < MAX_BUSY_MS) return
    await setImmediate()
    this.#since = performance.now()
  }
}
