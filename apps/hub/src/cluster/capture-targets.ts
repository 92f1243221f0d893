import { EventEmitter } from 'node:events'
import type { Config } from '@tapdeck/config'
import type { Log } from '../log.ts'
import { KeptTargetsFile } from './kept-targets.ts'
import type { TargetChoice } from './target-choice.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/**
 * The targets in force: those of the configuration, or what a caller chose instead. Workers get them at once, and those that
 * connect later. A choice outlives the hub, unless these keys of the configuration change.
 */
export class CaptureTargets extends EventEmitter<{ change: [] }> {
  readonly #workers: Workers
  readonly #log: Log
  readonly #file: KeptTargetsFile
  #configured: TargetChoice
  #chosen: TargetChoice | undefined
  /** Whether workers may have other targets than those of their own configuration. */
  #changed = false

  private constructor(workers: Workers, tap: Config['tap'], log: Log, file: KeptTargetsFile) {
    super()
    this.#workers = workers
    this.#log = log
    this.#file = file
    this.#configured = choiceOf(tap)
    // A worker that starts with the same configuration has the targets already.
    workers.on('join', (worker) => {
      if (this.#changed || this.current.bpf !== '') void this.#send(worker)
    })
  }

  static async open(workers: Workers, tap: Config['tap'], log: Log, path: string): Promise<CaptureTargets> {
    const file = new KeptTargetsFile(path, log)
    const targets = new CaptureTargets(workers, tap, log, file)
    const kept = await file.read(targets.#configured)
    if (kept === undefined) return targets
    targets.#changed = true
    if (kept.chosen === null) return targets
    if (isSame(kept.configured, targets.#configured)) {
      targets.#chosen = kept.chosen
      log.info({ targets: kept.chosen }, 'the targets that a caller chose are in force again')
    } else {
      log.info('the targets of the configuration changed: they replace those that a caller chose')
      await targets.#save()
    }
    return targets
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
    if (isSame(fresh, this.#configured)) return
    this.#configured = fresh
    await this.choose(undefined)
  }

  /** Undefined: what is configured. Resolves when the connected workers have applied it, or failed to. */
  async choose(choice: TargetChoice | undefined): Promise<void> {
    this.#chosen = choice
    this.#changed = true
    this.emit('change')
    await this.#save()
    await Promise.all(this.#workers.connected.map((worker) => this.#send(worker)))
  }

  #save(): Promise<void> {
    return this.#file.write({
      chosen: this.#chosen === undefined ? null : plain(this.#chosen),
      configured: plain(this.#configured),
    })
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

function plain({ regex, namespaces, excludedNamespaces, bpf }: TargetChoice) {
  return { regex, namespaces: [...namespaces], excludedNamespaces: [...excludedNamespaces], bpf }
}

function isSame(one: TargetChoice, other: TargetChoice): boolean {
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other))
}

function choiceOf({ regex, namespaces, excludedNamespaces, bpfOverride: bpf }: Config['tap']): TargetChoice {
  return { regex, namespaces, excludedNamespaces, bpf }
}
