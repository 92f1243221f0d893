import type { Terminal } from '../output/terminal.ts'
import { formatBytes } from '../output/units.ts'

const everyMs = 250
/** Less than this is read before anybody wonders. */
const worthTelling = 50_000_000

/** One line on a screen that says how far reading is. */
export class Progress {
  readonly #terminal: Terminal
  readonly #started = performance.now()
  #next = this.#started + everyMs
  #shown = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  report(bytes: number, total: number | undefined): void {
    if (!this.#terminal.noteIsScreen || bytes < worthTelling) return
    const now = performance.now()
    if (now < this.#next) return
    this.#next = now + everyMs
    this.#shown = true
    const share = total ? ` (${Math.floor((bytes / total) * 100)} %)` : ''
    const rate = formatBytes((bytes * 1000) / (now - this.#started))
    this.#terminal.status(`Read ${formatBytes(bytes)}${share}, ${rate}/s`)
  }

  done(): void {
    if (this.#shown) this.#terminal.status('')
  }
}
