import { readFile } from 'node:fs/promises'
import { Regex } from '@tapdeck/kfl'
import { writeDurably } from '@tapdeck/recording'
import { z } from 'zod'
import type { Log } from '../log.ts'
import { assertCaptureFilter } from './assert-capture-filter.ts'
import type { TargetChoice } from './target-choice.ts'

const MAX_BYTES = 1024 * 1024

const choice = z.object({
  regex: z.string(),
  namespaces: z.array(z.string()),
  excludedNamespaces: z.array(z.string()),
  bpf: z.string(),
})

/** `chosen` is null after a reset. */
const shape = z.object({ chosen: choice.nullable(), configured: choice })
export type KeptTargets = z.output<typeof shape>

/** The file with the targets that a caller chose, and the configuration that they replaced. */
export class KeptTargetsFile {
  readonly #path: string
  readonly #log: Log
  #saving: Promise<void> = Promise.resolve()

  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
  }

  /** Undefined if no caller ever chose targets. A file that cannot be used counts as a reset, and is logged. */
  async read(configured: TargetChoice): Promise<KeptTargets | undefined> {
    let text: string
    try {
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      return this.#unusable(error, configured)
    }
    try {
      if (text.length > MAX_BYTES) throw new RangeError(`it has more than ${MAX_BYTES} characters`)
      const kept = shape.parse(JSON.parse(text))
      if (kept.chosen) requireUsable(kept.chosen)
      return kept
    } catch (error) {
      return this.#unusable(error, configured)
    }
  }

  /** One after the other: the last choice is the one on disk. What fails is logged, and the choice is in force until a restart. */
  write(kept: KeptTargets): Promise<void> {
    this.#saving = this.#saving
      .then(() => writeDurably(this.#path, JSON.stringify(kept)))
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'cannot store the targets; a restart of the hub undoes them'),
      )
    return this.#saving
  }

  #unusable(error: unknown, configured: TargetChoice): KeptTargets {
    this.#log.warn(
      { err: error, file: this.#path },
      'cannot read the stored targets; using the configuration',
    )
    return {
      chosen: null,
      configured: {
        ...configured,
        namespaces: [...configured.namespaces],
        excludedNamespaces: [...configured.excludedNamespaces],
      },
    }
  }
}

/** As when a caller chooses them: a pattern runs on every node. */
function requireUsable({ regex, bpf }: TargetChoice): void {
  new Regex(regex)
  assertCaptureFilter(bpf)
}
