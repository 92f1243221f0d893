import { HubProblem } from '../client/hub-problem.ts'
import { Store } from '../live/store.ts'
import type { TimeWindow } from '../time/time-window.ts'

/** A window of the recorded packets on its way to a snapshot and a dissection of it. */
export interface KeptWindow {
  readonly name: string
  readonly window: TimeWindow
  readonly step: 'copying' | 'dissecting' | 'done' | 'failed'
  /** 0 to 100, of the step. */
  readonly progress: number
  /** Once it is done. */
  readonly calls?: number
  /** Some of the window was not recorded. */
  readonly partial?: boolean
  readonly problem?: Error
}

interface SnapshotState {
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed'
  readonly progress: number
  readonly partial: boolean
  readonly error?: string | undefined
}

interface DissectionState {
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  readonly progress: number
  readonly call_count: number
  readonly errors: readonly string[]
}

export interface KeptWindowsOptions {
  createSnapshot(name: string, window: TimeWindow): Promise<unknown>
  snapshot(name: string): Promise<SnapshotState>
  startDissection(snapshot: string, name: string): Promise<unknown>
  dissection(snapshot: string, name: string): Promise<DissectionState>
  /** Before the hub is asked again. */
  wait(): Promise<void>
}

export const DISSECTION_NAME = 'all'

/** How many the page shows at once; the oldest makes place. */
const MAX_SHOWN = 3
/** Names that are tried before the problem is shown. */
const MAX_NAMES = 9

/** Keeps windows: makes a snapshot, waits, dissects it, waits. It goes on while the user looks at another view. */
export class KeptWindows {
  readonly shown = new Store<readonly KeptWindow[]>([])
  readonly #options: KeptWindowsOptions

  constructor(options: KeptWindowsOptions) {
    this.#options = options
  }

  /** The name of the snapshot once it is completed, or nothing where that failed. `dissect` makes its calls as well. */
  async keep(window: TimeWindow, stem: string, dissect = true): Promise<string | undefined> {
    let name = stem
    try {
      name = await this.#create(window, stem)
      const snapshot = await this.#follow(name, () => this.#options.snapshot(name))
      if (snapshot.status === 'failed') throw new Error(snapshot.error ?? 'The snapshot could not be made.')
      this.#update(name, { partial: snapshot.partial })
      if (dissect) await this.#dissect(name)
      else this.close(name)
      return name
    } catch (reason) {
      const problem = reason instanceof Error ? reason : new Error(String(reason))
      if (this.#has(name)) this.#update(name, { step: 'failed', problem })
      else this.#show({ name, window, step: 'failed', progress: 0, problem })
      return undefined
    }
  }

  close(name: string): void {
    this.shown.set(this.shown.get().filter((one) => one.name !== name))
  }

  async #create(window: TimeWindow, stem: string): Promise<string> {
    for (let number = 1; ; number++) {
      const name = number === 1 ? stem : `${stem}-${number}`
      try {
        await this.#options.createSnapshot(name, window)
        this.#show({ name, window, step: 'copying', progress: 0 })
        return name
      } catch (reason) {
        const isTaken = reason instanceof HubProblem && reason.status === 409
        if (!isTaken || number === MAX_NAMES) throw reason
      }
    }
  }

  async #dissect(name: string): Promise<void> {
    await this.#options.startDissection(name, DISSECTION_NAME)
    this.#update(name, { step: 'dissecting', progress: 0 })
    const end = await this.#follow(name, () => this.#options.dissection(name, DISSECTION_NAME))
    if (end.status !== 'completed')
      throw new Error(end.errors[0] ?? `The dissection of ${name} is ${end.status}.`)
    this.#update(name, { step: 'done', progress: 100, calls: end.call_count })
  }

  /** Asks until it moves no more. */
  async #follow<State extends { readonly status: string; readonly progress: number }>(
    name: string,
    ask: () => Promise<State>,
  ): Promise<State> {
    for (;;) {
      const state = await ask()
      this.#update(name, { progress: state.progress })
      if (!['pending', 'in_progress', 'running'].includes(state.status)) return state
      await this.#options.wait()
    }
  }

  #has(name: string): boolean {
    return this.shown.get().some((one) => one.name === name)
  }

  #show(kept: KeptWindow): void {
    this.shown.set([...this.shown.get().filter(({ name }) => name !== kept.name), kept].slice(-MAX_SHOWN))
  }

  #update(name: string, change: Partial<KeptWindow>): void {
    this.shown.set(this.shown.get().map((one) => (one.name === name ? { ...one, ...change } : one)))
  }
}
