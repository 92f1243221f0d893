import { z } from 'zod'
import type { Log } from '../log.ts'
import { InTurn } from '../state/in-turn.ts'
import type { StateStore } from '../state/state-store.ts'
import type { SwitchChange } from './switch.ts'

const DOCUMENT = 'switch'
const MAX_CHANGES = 1000

const shape = z.object({
  /** Newest first. */
  changes: z.array(
    z.object({
      at: z.number(),
      enabled: z.boolean(),
      by: z.string(),
      door: z.string(),
      reason: z.enum(['start', 'request', 'inactivity', 'configuration']),
    }),
  ),
})

/** The changes of the switch beyond a restart and a take-over: the newest thousand, in the state of the hub. */
export class ChangeLog {
  readonly #state: StateStore
  readonly #log: Log
  #changes: readonly SwitchChange[]
  /** One after the other: each begins with what the one before stored. */
  readonly #writes = new InTurn()
  #writing: Promise<void> = Promise.resolve()
  #isDirty = false

  private constructor(state: StateStore, log: Log, changes: readonly SwitchChange[]) {
    this.#state = state
    this.#log = log
    this.#changes = changes
  }

  /** A document that cannot be read counts as empty, and is logged. */
  static async open(state: StateStore, log: Log): Promise<ChangeLog> {
    try {
      const text = (await state.read(DOCUMENT)) ?? '{"changes":[]}'
      return new ChangeLog(state, log, shape.parse(JSON.parse(text)).changes.slice(0, MAX_CHANGES))
    } catch (error) {
      log.warn({ err: error, state: state.address }, 'cannot read the changes of the indexing switch')
      return new ChangeLog(state, log, [])
    }
  }

  /** Newest first. */
  get changes(): readonly SwitchChange[] {
    return this.#changes
  }

  /** The newest change, if it is a pause by a user. */
  get userPause(): SwitchChange | undefined {
    const [last] = this.#changes
    return last?.enabled === false && last.reason === 'request' ? last : undefined
  }

  /** What a hub that takes over continues with: the newest change that is no start and no order of a configuration. */
  get pressed(): SwitchChange | undefined {
    const [last] = this.#changes
    return last?.reason === 'request' || last?.reason === 'inactivity' ? last : undefined
  }

  /** Stores a change that a caller asked for. Throws, and forgets it, where that fails. */
  store(change: SwitchChange): Promise<void> {
    return this.#writes.run(async () => {
      await this.#state.write(DOCUMENT, toText([change, ...this.#changes]))
      this.#changes = [change, ...this.#changes].slice(0, MAX_CHANGES)
    })
  }

  /** Notes a change that is in force. What cannot be stored is logged, and stored with the next change. */
  add(change: SwitchChange): void {
    this.#changes = [change, ...this.#changes].slice(0, MAX_CHANGES)
    if (this.#isDirty) return
    this.#isDirty = true
    this.#writing = this.#writes
      .run(() => {
        this.#isDirty = false
        return this.#state.write(DOCUMENT, toText(this.#changes))
      })
      .catch((error) => this.#log.warn({ err: error }, 'cannot save a change of the indexing switch'))
  }

  flush(): Promise<void> {
    return this.#writing
  }
}

function toText(changes: readonly SwitchChange[]): string {
  return JSON.stringify({ changes: changes.slice(0, MAX_CHANGES) })
}
