import { closeSync } from 'node:fs'
import type { WindowPart } from '@tapdeck/recording'

/** The segments of a window as they were when its transfer began. */
export interface HeldWindow {
  readonly parts: readonly WindowPart[]
  readonly oldest: number | null
}

const MAX_KEPT = 4
const KEPT_MS = 120_000

/**
 * Windows whose transfer was interrupted. Their segments stay open for a while, so that the hub can continue with the same
 * bytes, also if the ring deletes or extends the segments meanwhile.
 */
export class InterruptedWindows {
  readonly #kept = new Map<string, { readonly window: HeldWindow; readonly timer: NodeJS.Timeout }>()

  /** The oldest one is closed if there are too many. */
  keep(start: number, end: number, window: HeldWindow): void {
    this.#close(key(start, end))
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MAX_KEPT) break
      this.#close(oldest)
    }
    const timer = setTimeout(() => this.#close(key(start, end)), KEPT_MS).unref()
    this.#kept.set(key(start, end), { window, timer })
  }

  /** The caller closes the parts. */
  take(start: number, end: number): HeldWindow | undefined {
    const found = this.#kept.get(key(start, end))
    clearTimeout(found?.timer)
    this.#kept.delete(key(start, end))
    return found?.window
  }

  #close(at: string): void {
    const found = this.#kept.get(at)
    if (found === undefined) return
    clearTimeout(found.timer)
    this.#kept.delete(at)
    closeParts(found.window)
  }
}

export function closeParts({ parts }: HeldWindow): void {
  for (const { fd } of parts) closeSync(fd)
}

function key(start: number, end: number): string {
  return `${start}-${end}`
}
