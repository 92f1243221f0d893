import { z } from 'zod'
import type { Log } from '../log.ts'
import { InTurn } from '../state/in-turn.ts'
import type { StateStore } from '../state/state-store.ts'

export interface ScriptStartsOptions {
  readonly state: StateStore
  readonly log: Log
  /** Milliseconds after which a start was a clean one. */
  readonly cleanAfter?: number
}

const DOCUMENT = 'agent-scripts'
const CLEAN_AFTER_MS = 60_000
const HUB_ENDED =
  'the hub ended within a minute after this script was started; enable the agent to start it again'

const shape = z.object({ scripts: z.array(z.object({ name: z.string(), reason: z.string().optional() })) })

/**
 * Which agents have a script that must not be started again by itself: it failed for good, or the hub ended soon after it
 * was started. A start is stored before the thread of the script exists, so that it outlives a hub that was killed.
 */
export class ScriptStarts {
  readonly #options: ScriptStartsOptions
  readonly #writes = new InTurn()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  /** By agent: why its script failed; undefined if it was started a short time ago. */
  readonly #marks = new Map<string, string | undefined>()
  /** From the last run of the hub. */
  readonly #refused: ReadonlyMap<string, string>

  private constructor(options: ScriptStartsOptions, refused: ReadonlyMap<string, string>) {
    this.#options = options
    this.#refused = refused
  }

  static async open(options: ScriptStartsOptions): Promise<ScriptStarts> {
    const { state, log } = options
    try {
      const { scripts } = shape.parse(JSON.parse((await state.read(DOCUMENT)) ?? '{"scripts":[]}'))
      return new ScriptStarts(options, new Map(scripts.map(({ name, reason = HUB_ENDED }) => [name, reason])))
    } catch (error) {
      log.warn({ err: error }, `cannot read ${DOCUMENT}: scripts of agents that failed are started again`)
      return new ScriptStarts(options, new Map())
    }
  }

  /** Why the hub does not start the script of an agent when it starts. Undefined: it does. */
  reasonAgainst(name: string): string | undefined {
    return this.#refused.get(name)
  }

  /** Stored when it resolves. Throws where the storage is away. */
  async begin(name: string): Promise<void> {
    this.#mark(name, undefined)
    await this.#store()
  }

  async failed(name: string, reason: string): Promise<void> {
    this.#mark(name, reason)
    await this.#tryStore()
  }

  /** It ran cleanly, was stopped, or is not there any more. */
  async end(name: string): Promise<void> {
    if (this.#unmark(name)) await this.#tryStore()
  }

  /** The hub ends as it should: it was ended by none of them. */
  async close(): Promise<void> {
    const running = [...this.#marks].filter(([, reason]) => reason === undefined)
    for (const [name] of running) this.#unmark(name)
    if (running.length > 0) await this.#tryStore()
    await this.#writes.run(async () => {})
  }

  #mark(name: string, reason: string | undefined): void {
    this.#unmark(name)
    this.#marks.set(name, reason)
    if (reason !== undefined) return
    const { cleanAfter = CLEAN_AFTER_MS } = this.#options
    this.#timers.set(name, setTimeout(() => void this.end(name), cleanAfter).unref())
  }

  #unmark(name: string): boolean {
    clearTimeout(this.#timers.get(name))
    this.#timers.delete(name)
    return this.#marks.delete(name)
  }

  #store(): Promise<void> {
    const text = () =>
      JSON.stringify({ scripts: [...this.#marks].map(([name, reason]) => ({ name, reason })) })
    return this.#writes.run(() => this.#options.state.write(DOCUMENT, text()))
  }

  async #tryStore(): Promise<void> {
    await this.#store().catch((error) =>
      this.#options.log.warn(
        { err: error },
        `cannot write ${DOCUMENT}: a script may be started wrongly, or not`,
      ),
    )
  }
}
