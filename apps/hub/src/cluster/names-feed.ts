import { entriesOf, type NameEntry, type NamesDelta, namesDelta } from '@tapdeck/inventory'
import type { Directory } from '../directory.ts'
import type { Log } from '../log.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** Changes that come together are sent together. */
const GATHER_MS = 250
/** Entries in one message: about a megabyte. */
const MAX_ENTRIES = 2000

/**
 * Workers name addresses themselves. A worker gets all names when it joins, in pieces, and then only what changed. After a
 * failure it gets all names again.
 */
export class NamesFeed {
  readonly #workers: Workers
  readonly #directory: Directory
  readonly #log: Log
  /** What the workers have been sent, or will be. */
  #sent: Map<string, NameEntry>
  /** Messages to a worker follow each other. Absent: it has to get all names first. */
  readonly #queues = new WeakMap<Worker, Promise<boolean>>()
  #timer: NodeJS.Timeout | undefined

  constructor(workers: Workers, directory: Directory, log: Log) {
    this.#workers = workers
    this.#directory = directory
    this.#log = log
    this.#sent = entriesOf(directory.inventory)
    workers.on('join', (worker) => {
      if (this.#timer !== undefined) this.#sendChanges()
      if (!this.#queues.has(worker)) this.#sendAll(worker)
    })
    directory.on('change', () => {
      this.#timer ??= setTimeout(() => this.#sendChanges(), GATHER_MS).unref()
    })
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #sendChanges(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const entries = entriesOf(this.#directory.inventory)
    const delta = namesDelta(this.#sent, entries)
    this.#sent = entries
    if (delta.put.length + delta.drop.length === 0) return
    for (const worker of this.#workers.connected)
      if (this.#queues.has(worker)) this.#queue(worker, inPieces(delta))
      else this.#sendAll(worker)
  }

  #sendAll(worker: Worker): void {
    this.#queue(worker, inPieces({ reset: true, put: [...this.#sent], drop: [] }))
  }

  #queue(worker: Worker, pieces: readonly NamesDelta[]): void {
    const before = this.#queues.get(worker) ?? Promise.resolve(true)
    const done = before.then(async (applied) => {
      if (!applied) return false
      try {
        for (const [at, delta] of pieces.entries())
          await worker.ask('names', { delta, ...(at < pieces.length - 1 && { more: true }) })
        return true
      } catch (error) {
        this.#failed(worker, error as Error)
        return false
      }
    })
    this.#queues.set(worker, done)
  }

  #failed(worker: Worker, { message }: Error): void {
    // The next change sends all names again.
    this.#queues.delete(worker)
    if (!worker.gone)
      this.#log.warn({ node: worker.node, detail: message }, 'a worker did not apply the names')
  }
}

/** A worker must not wait for a single large message, nor hold it. */
function inPieces({ reset, put, drop }: NamesDelta): NamesDelta[] {
  const pieces: NamesDelta[] = [{ ...(reset && { reset }), put: put.slice(0, MAX_ENTRIES), drop }]
  for (let at = MAX_ENTRIES; at < put.length; at += MAX_ENTRIES)
    pieces.push({ put: put.slice(at, at + MAX_ENTRIES), drop: [] })
  return pieces
}
