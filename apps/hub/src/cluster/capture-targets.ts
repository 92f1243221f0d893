import { EventEmitter } from 'node:events'
import type { Config } from '@tapdeck/config'
import type { Log } from '../log.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** Which pods are indexed, and which packets are captured. */
export interface TargetChoice {
  readonly regex: string
  readonly namespaces: readonly string[]
  readonly excludedNamespaces: readonly string[]
  readonly bpf: string
}

/** The targets in force: those of the configuration, or what a caller chose instead. Workers get them at once. */
export class CaptureTargets extends EventEmitter<{ change: [] }> {
  readonly #workers: Workers
  readonly #log: Log
  #configured: TargetChoice
  #chosen: TargetChoice | undefined
  #changed = false

  constructor(workers: Workers, tap: Config['tap'], log: Log) {
    super()
    this.#workers = workers
    this.#log = log
    this.#configured = choiceOf(tap)
    // A worker that starts with the same configuration has the targets already.
    workers.on('join', (worker) => {
      if (this.#changed || this.current.bpf !== '') void this.#send(worker)
    })
  }

  get current(): TargetChoice {
    return this.#chosen ?? this.#configured
  }

  get source(): 'configuration' | 'caller' {
    return this.#chosen ? 'caller' : 'configuration'
  }

  /** A changed configuration counts more than what a caller chose before. */
  async configure(tap: Config['tap']): Promise<void> {
    const fresh = choiceOf(tap)
    if (JSON.stringify(fresh) === JSON.stringify(this.#configured)) return
    this.#configured = fresh
    await this.choose(undefined)
  }

  /** Undefined: what is configured. Resolves when the connected workers have applied it, or failed to. */
  async choose(choice: TargetChoice | undefined): Promise<void> {
    this.#chosen = choice
    this.#changed = true
    this.emit('change')
    await Promise.all(this.#workers.connected.map((worker) => this.#send(worker)))
  }

  async #send(worker: Worker): Promise<void> {
    const { regex, namespaces, excludedNamespaces, bpf } = this.current
    try {
      await worker.ask('targets', {
        regex,
        namespaces: [...namespaces],
        excludedNamespaces: [...excludedNamespaces],
      })
      await worker.ask('capture_filter', { expression: bpf })
    } catch (error) {
      if (worker.gone) return
      const detail = error instanceof Error ? error.message : String(error)
      this.#log.warn({ node: worker.node, detail }, 'a worker did not apply the targets')
    }
  }
}

function choiceOf({ regex, namespaces, excludedNamespaces, bpfOverride: bpf }: Config['tap']): TargetChoice {
  return { regex, namespaces, excludedNamespaces, bpf }
}
