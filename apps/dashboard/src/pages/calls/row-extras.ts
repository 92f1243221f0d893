import type { CompactCall } from '../../client/call-details.ts'
import type { CallPageQuery } from '../../client/hub.ts'
import { valueAt } from '../../columns/field-path.ts'
import { Store } from '../../live/store.ts'

/** Rows that match a filter are shown in a colour. */
export interface ColorRule {
  readonly kfl: string
  readonly color: RuleColor
}

export const ruleColors = ['red', 'orange', 'green', 'blue', 'violet', 'grey'] as const
export type RuleColor = (typeof ruleColors)[number]

type Rows = readonly Pick<CompactCall, 'id' | 'ts'>[]

export interface RowExtrasOptions {
  readonly db: string | undefined
  readonly kfl: string
  /** Paths in the full call whose values rows show. */
  readonly paths: readonly string[]
  /** The first that matches decides. */
  readonly rules: readonly ColorRule[]
  readonly fetchRows: (query: CallPageQuery & { readonly fields: string }) => Promise<readonly object[]>
  /** The pause between two questions. */
  readonly wait: () => Promise<void>
}

interface Extra {
  readonly values: unknown
  readonly color: RuleColor | undefined
}

const MAX_ROWS = 20_000
const ROWS_AT_ONCE = 500
const MAX_ANSWER = 1000
/** The newest calls come by the stream before the index has them. */
const MAX_ATTEMPTS = 5

/** What the list shows of calls beyond their rows: values of added fields, and colours. It asks the hub for rows that need it. */
export class RowExtras {
  readonly version = new Store(0)
  readonly #options: RowExtrasOptions
  readonly #known = new Map<string, Extra>()
  readonly #attempts = new Map<string, number>()
  #wanted: Rows = []
  #isAsking = false
  #isClosed = false

  constructor(options: RowExtrasOptions) {
    this.#options = options
  }

  get isNeeded(): boolean {
    return this.#options.paths.length > 0 || this.#options.rules.length > 0
  }

  readValue = (id: string, path: string): unknown => valueAt(this.#known.get(id)?.values, path)

  colorOf(id: string): RuleColor | undefined {
    return this.#known.get(id)?.color
  }

  has(id: string): boolean {
    return this.#known.has(id)
  }

  /** The rows that matter now, newest first; earlier wishes are forgotten. */
  want(rows: Rows): void {
    this.#wanted = rows
    if (!this.#isAsking && this.isNeeded && !this.#isClosed) void this.#work()
  }

  close(): void {
    this.#isClosed = true
    this.#wanted = []
  }

  async #work(): Promise<void> {
    this.#isAsking = true
    try {
      for (let rows = this.#missing(); rows.length > 0 && !this.#isClosed; rows = this.#missing()) {
        for (const { id } of rows) this.#attempts.set(id, (this.#attempts.get(id) ?? 0) + 1)
        await this.#ask(rows).catch(() => {})
        await this.#options.wait()
      }
    } finally {
      this.#isAsking = false
    }
  }

  #missing(): Rows {
    return this.#wanted
      .filter(({ id }) => !this.#known.has(id) && (this.#attempts.get(id) ?? 0) < MAX_ATTEMPTS)
      .slice(0, ROWS_AT_ONCE)
  }

  async #ask(rows: Rows): Promise<void> {
    const { db, kfl, paths, rules, fetchRows } = this.#options
    const times = rows.map(({ ts }) => ts)
    const window = { start: Math.floor(Math.min(...times)), end: Math.ceil(Math.max(...times)) + 1 }
    const query = { db, ...window, limit: MAX_ANSWER }
    const found = await fetchRows({ ...query, kfl, fields: ['id', ...paths].join(',') })
    // After the rows: what is in the index now is there for the rules as well.
    const matches = await Promise.all(
      rules.map(async (rule) => {
        const both = kfl === '' ? rule.kfl : `(${kfl}) and (${rule.kfl})`
        return new Set((await fetchRows({ ...query, kfl: both, fields: 'id' })).map(idOf))
      }),
    )
    if (this.#isClosed) return
    for (const values of found) {
      const id = idOf(values)
      const rule = rules.find((_, place) => matches[place]?.has(id))
      this.#known.set(id, { values, color: rule?.color })
      this.#attempts.delete(id)
    }
    this.#forgetOldest()
    this.version.set(this.version.get() + 1)
  }

  #forgetOldest(): void {
    for (const known of [this.#known, this.#attempts])
      for (const id of known.keys()) {
        if (known.size <= MAX_ROWS) break
        known.delete(id)
      }
  }
}

function idOf(row: object): string {
  return 'id' in row ? String(row.id) : ''
}
