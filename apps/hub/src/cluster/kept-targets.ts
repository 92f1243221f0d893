import { Regex } from '@tapdeck/kfl'
import { z } from 'zod'
import type { Log } from '../log.ts'
import type { StateStore } from '../state/state-store.ts'
import { assertCaptureFilter } from './assert-capture-filter.ts'
import { plainChoice, type TargetChoice } from './target-choice.ts'

const DOCUMENT = 'targets'

const choice = z.object({
  regex: z.string(),
  namespaces: z.array(z.string()),
  excludedNamespaces: z.array(z.string()),
  bpf: z.string(),
})

/** `chosen` is null after a reset. */
const shape = z.object({ chosen: choice.nullable(), configured: choice })
export type KeptTargets = z.output<typeof shape>

/** The targets that a caller chose, and the configuration that they replaced. */
export class KeptTargetsDocument {
  readonly #state: StateStore
  readonly #log: Log

  constructor(state: StateStore, log: Log) {
    this.#state = state
    this.#log = log
  }

  /** Undefined if no caller ever chose targets. A document that cannot be used counts as a reset, and is logged. */
  async read(configured: TargetChoice): Promise<KeptTargets | undefined> {
    try {
      const text = await this.#state.read(DOCUMENT)
      if (text === undefined) return undefined
      const kept = shape.parse(JSON.parse(text))
      if (kept.chosen) requireUsable(kept.chosen)
      return kept
    } catch (error) {
      this.#log.warn(
        { err: error, state: this.#state.address },
        'cannot read the stored targets; using the configuration',
      )
      return { chosen: null, configured: plainChoice(configured) }
    }
  }

  write(chosen: TargetChoice | undefined, configured: TargetChoice): Promise<void> {
    const kept: KeptTargets = {
      chosen: chosen === undefined ? null : plainChoice(chosen),
      configured: plainChoice(configured),
    }
    return this.#state.write(DOCUMENT, JSON.stringify(kept))
  }
}

/** As when a caller chooses them: a pattern runs on every node. */
function requireUsable({ regex, bpf }: TargetChoice): void {
  new Regex(regex)
  assertCaptureFilter(bpf)
}
