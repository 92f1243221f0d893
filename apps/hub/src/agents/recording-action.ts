import type { AgentAction } from '@tapdeck/api'
import type { CompactCall } from '@tapdeck/dissect'
import type { Recordings } from '../recordings/recordings.ts'
import type { Action, ActionState } from './action.ts'

/** Many matches in a moment are one reason to do something. */
const EVERY_MS = 1000

/** Starts, stops or marks a recording when something matches. */
export class RecordingAction implements Action {
  readonly #agent: string
  readonly #definition: Extract<AgentAction, { kind: 'recording' }>
  readonly #recordings: Recordings
  #last = Number.NEGATIVE_INFINITY
  #done = 0
  #failed = 0
  #dropped = 0
  #lastError: string | undefined

  constructor(
    agent: string,
    definition: Extract<AgentAction, { kind: 'recording' }>,
    recordings: Recordings,
  ) {
    this.#agent = agent
    this.#definition = definition
    this.#recordings = recordings
  }

  get state(): ActionState {
    return {
      done: this.#done,
      failed: this.#failed,
      dropped: this.#dropped,
      waiting: 0,
      ...(this.#lastError !== undefined && { last_error: this.#lastError }),
    }
  }

  take(calls: readonly CompactCall[]): void {
    const first = calls[0]
    if (first === undefined) return
    const now = performance.now()
    if (now - this.#last < EVERY_MS) {
      this.#dropped += calls.length
      return
    }
    this.#last = now
    this.#act(first).then(
      () => this.#done++,
      (error: Error) => {
        this.#failed++
        this.#lastError = error.message
      },
    )
  }

  close(): void {}

  async #act(call: CompactCall): Promise<void> {
    const { do: what, recording: name, kfl, duration } = this.#definition
    const by = `agent ${this.#agent}`
    const known = this.#recordings.list().find((one) => one.name === name)
    const runs = known?.status === 'running'
    if (what === 'start' && known === undefined)
      await this.#recordings.start({ name, kfl, duration, resume_indexing: false }, by)
    else if (what === 'stop' && runs) await this.#recordings.stop(name, 'agent')
    else if (what === 'note' && runs) await this.#recordings.note(name, by, summary(call))
  }
}

function summary({ id, proto, method = '', path = '', status = '' }: CompactCall): string {
  return `${proto} ${method} ${path.slice(0, 200)} ${status} (${id})`
}
