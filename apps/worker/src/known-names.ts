import { readFile } from 'node:fs/promises'
import {
  applyDelta,
  createResolver,
  entriesOf,
  type Inventory,
  inventoryOf,
  type NameEntry,
  type NamesDelta,
  parseInventory,
  parseNamesDelta,
  type Resolver,
} from '@tapdeck/inventory'
import { writeDurably } from '@tapdeck/recording'
import type { PodName } from './keys/process-targets.ts'
import type { Log } from './log.ts'

const SAVE_MS = 5000

/** The names that the hub sent. They are kept on disk, so that a worker that starts without its hub has names too. */
export class KnownNames {
  readonly #file: string
  readonly #log: Log
  readonly #entries = new Map<string, NameEntry>()
  /** Pieces of a change that is not complete. */
  #pieces: NamesDelta[] = []
  #fromHub = false
  /** Of the names now; undefined after a change. */
  #resolver: Resolver | undefined
  #timer: NodeJS.Timeout | undefined
  #saved: Promise<void> = Promise.resolve()

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
  }

  get inventory(): Inventory {
    return inventoryOf(this.#entries.values())
  }

  /** The pod that has this address now. */
  podAt(ip: string): PodName | undefined {
    this.#resolver ??= createResolver(this.inventory)
    return this.#resolver.resolve(ip, 0, Date.now())
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /** Everything, as a change from nothing. */
  get all(): NamesDelta {
    return { reset: true, put: [...this.#entries], drop: [] }
  }

  /** Reads what an earlier run had. What the hub has sent meanwhile counts more. */
  async restore(): Promise<void> {
    try {
      const inventory = parseInventory(JSON.parse(await readFile(this.#file, 'utf8')))
      if (this.#fromHub) return
      for (const [key, entry] of entriesOf(inventory)) this.#entries.set(key, entry)
      this.#resolver = undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn({ detail: (error as Error).message }, 'cannot read the saved names')
    }
  }

  /** Returns the change to pass on; undefined while pieces of it are missing. Throws `InventoryError`. */
  apply(value: unknown, more: boolean): NamesDelta | undefined {
    const piece = parseNamesDelta(value)
    // A change that begins anew leaves behind what a lost connection did not complete.
    if (piece.reset) this.#pieces = []
    this.#pieces.push(piece)
    if (more) return undefined
    const delta: NamesDelta = {
      ...(this.#pieces.some(({ reset }) => reset) && { reset: true }),
      put: this.#pieces.flatMap(({ put }) => put),
      drop: this.#pieces.flatMap(({ drop }) => drop),
    }
    this.#pieces = []
    this.#fromHub = true
    applyDelta(this.#entries, delta)
    this.#resolver = undefined
    this.#timer ??= setTimeout(() => this.#save(), SAVE_MS).unref()
    return delta
  }

  async close(): Promise<void> {
    if (this.#timer !== undefined) this.#save()
    await this.#saved
  }

  #save(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = JSON.stringify(this.inventory)
    this.#saved = this.#saved
      .then(() => writeDurably(this.#file, text))
      .catch((error: Error) => this.#log.warn({ detail: error.message }, 'cannot save the names'))
  }
}
