import { formatBytes } from '@tapdeck/units'
import type { Terminal } from '../output/terminal.ts'

const everyMs = 250
/** Fewer bytes are read too fast for a progress line. */
const MIN_BYTES = 50_000_000

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
    if (!this.#terminal.noteIsScreen || bytes < MIN_BYTES) return
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
