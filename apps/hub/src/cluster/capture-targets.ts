import { EventEmitter } from 'node:events'
import type { Config } from '@tapdeck/config'
import type { Log } from '../log.ts'
import { InTurn } from '../state/in-turn.ts'
import type { StateStore } from '../state/state-store.ts'
import { KeptTargetsDocument } from './kept-targets.ts'
import { plainChoice, type TargetChoice } from './target-choice.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/**
 * The targets in force: those of the configuration, or what a caller chose instead. Workers get them at once, and those that
 * connect later. A choice outlives the hub, unless these keys of the configuration change.
 */
export class CaptureTargets extends EventEmitter<{ change: [] }> {
  readonly #workers: Workers
  readonly #log: Log
  readonly #document: KeptTargetsDocument
  readonly #changes = new InTurn()
  #configured: TargetChoice
  #chosen: TargetChoice | undefined
  /** Whether workers may have other targets than those of their own configuration. */
  #changed = false

  private constructor(workers: Workers, tap: Config['tap'], log: Log, document: KeptTargetsDocument) {
    super()
    this.#workers = workers
    this.#log = log
    this.#document = document
    this.#configured = choiceOf(tap)
    // A worker that starts with the same configuration has the targets already.
    workers.on('join', (worker) => {
      if (this.#changed || this.current.bpf !== '') void this.#send(worker)
    })
  }

  static async open(
    workers: Workers,
    tap: Config['tap'],
    log: Log,
    state: StateStore,
  ): Promise<CaptureTargets> {
    const document = new KeptTargetsDocument(state, log)
    const targets = new CaptureTargets(workers, tap, log, document)
    const kept = await document.read(targets.#configured)
    if (kept === undefined) return targets
    targets.#changed = true
    if (kept.chosen === null) return targets
    if (isSame(kept.configured, targets.#configured)) {
      targets.#chosen = kept.chosen
      log.info({ targets: kept.chosen }, 'the targets that a caller chose are in force again')
    } else {
      log.info('the targets of the configuration changed: they replace those that a caller chose')
      await targets.#saveReset()
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
  configure(tap: Config['tap']): Promise<void> {
    return this.#changes.run(async () => {
      const fresh = choiceOf(tap)
      if (isSame(fresh, this.#configured)) return
      this.#configured = fresh
      await this.#saveReset()
      await this.#apply(undefined)
    })
  }

  /**
   * Undefined: what is configured. Throws, and changes nothing, where it cannot be stored. Resolves when the connected
   * workers have applied it, or failed to.
   */
  choose(choice: TargetChoice | undefined): Promise<void> {
    return this.#changes.run(async () => {
      await this.#document.write(choice, this.#configured)
      await this.#apply(choice)
    })
  }

  async #apply(choice: TargetChoice | undefined): Promise<void> {
    this.#chosen = choice
    this.#changed = true
    this.emit('change')
    await Promise.all(this.#workers.connected.map((worker) => this.#send(worker)))
  }

  /** The configuration is in force in any case. */
  async #saveReset(): Promise<void> {
    await this.#document
      .write(undefined, this.#configured)
      .catch((error) =>
        this.#log.warn({ err: error }, 'cannot store that the configured targets are in force'),
      )
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

function isSame(one: TargetChoice, other: TargetChoice): boolean {
  return JSON.stringify(plainChoice(one)) === JSON.stringify(plainChoice(other))
}

function choiceOf({ regex, namespaces, excludedNamespaces, bpfOverride: bpf }: Config['tap']): TargetChoice {
  return { regex, namespaces, excludedNamespaces, bpf }
}
