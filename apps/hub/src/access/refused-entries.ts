import type { AuditEntry } from './audit-entry.ts'
import { networkOf } from './failed-credentials.ts'

/** Lines of one address, and of all addresses, in a minute; further ones are only counted. */
const LINES_OF_ONE = 20
const LINES_OF_ALL = 200
const MINUTE_MS = 60_000
/** Addresses that are counted apart; those of further ones are counted together, as `*`. */
const MAX_ADDRESSES = 1000
const OTHERS = '*'

interface Counted {
  lines: number
  leftOut: number
  readonly last: AuditEntry
}

/**
 * Audit lines for callers that did not prove who they are. Any caller can cause these, so their number is bounded: after
 * each minute one line for each address says how many were left out.
 */
export class RefusedEntries {
  readonly #write: (entry: AuditEntry) => void
  readonly #byAddress = new Map<string, Counted>()
  #lines = 0
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(write: (entry: AuditEntry) => void) {
    this.#write = write
  }

  add(entry: AuditEntry, now: number): void {
    if (now - this.#since >= MINUTE_MS) this.#begin(now)
    this.#timer ??= setTimeout(() => this.#begin(this.#since + MINUTE_MS), MINUTE_MS).unref()
    const counted = this.#counted(entry)
    if (counted.lines < LINES_OF_ONE && this.#lines < LINES_OF_ALL) {
      counted.lines++
      this.#lines++
      this.#write(entry)
    } else counted.leftOut++
  }

  close(): void {
    this.#begin(this.#since)
  }

  #counted(entry: AuditEntry): Counted {
    const network = networkOf(entry.from)
    const isKnown = this.#byAddress.has(network) || this.#byAddress.size < MAX_ADDRESSES
    const key = isKnown ? network : OTHERS
    const counted = this.#byAddress.get(key) ?? {
      lines: 0,
      leftOut: 0,
      last: isKnown ? entry : { ...entry, from: OTHERS },
    }
    this.#byAddress.set(key, counted)
    return counted
  }

  /** Begins another minute, and says what was left out of the one before. */
  #begin(now: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { leftOut, last } of this.#byAddress.values())
      if (leftOut > 0) {
        const { at: _at, input: _input, rows: _rows, ms: _ms, ...rest } = last
        const at = new Date(now).toISOString()
        this.#write({ ...rest, at, what: 'refused', left_out: leftOut })
      }
    this.#byAddress.clear()
    this.#lines = 0
    this.#since = now
  }
}
