import type { Log } from '../log.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** What the workers capture (`tap.bpfOverride`): each is told when it comes, and all when it changes. */
export class CaptureFilter {
  readonly #workers: Workers
  readonly #log: Log
  #expression: string
  #changed = false

  constructor(workers: Workers, expression: string, log: Log) {
    this.#workers = workers
    this.#expression = expression
    this.#log = log
    // Who has started with the same configuration knows already.
    workers.on('join', (worker) => {
      if (this.#changed || this.#expression !== '') void this.#tell(worker)
    })
  }

  configure(expression: string): void {
    if (expression === this.#expression) return
    this.#expression = expression
    this.#changed = true
    for (const worker of this.#workers.connected) void this.#tell(worker)
  }

  async #tell(worker: Worker): Promise<void> {
    try {
      await worker.ask('capture_filter', { expression: this.#expression })
    } catch (error) {
      if (worker.gone) return
      const detail = error instanceof Error ? error.message : String(error)
      this.#log.warn({ node: worker.node, detail }, 'a worker did not take the capture filter')
    }
  }
}
