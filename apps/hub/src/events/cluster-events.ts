import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Inventory, parseInventory } from '@tapdeck/inventory'
import {
  EventLog,
  type EventPage,
  type EventQuery,
  type RecordedEvent,
  writeDurably,
} from '@tapdeck/recording'
import { scrubCommandLine } from '@tapdeck/redact/command-line'
import type { Workers } from '../cluster/workers.ts'
import type { Directory } from '../directory.ts'
import type { Log } from '../log.ts'
import { inventoryChanges } from './inventory-changes.ts'

const KNOWN = 'known.json'

export interface ClusterEventsOptions {
  readonly folder: string
  readonly maxBytes: number
  readonly directory: Directory
  readonly workers: Workers
  readonly log: Log
  readonly now: () => number
}

/**
 * The events of the cluster: who came, changed and went, by the inventory. They are kept as long as any node
 * keeps packets of their time. Another feed only needs to `append`.
 */
export class ClusterEvents extends EventEmitter<{ forget: [before: number] }> {
  readonly #options: ClusterEventsOptions
  readonly #events: EventLog
  #known: Inventory
  #saved: Promise<void> = Promise.resolve()
  #unsaved = false

  private constructor(options: ClusterEventsOptions, known: Inventory) {
    super()
    this.#options = options
    this.#known = known
    this.#events = EventLog.open(options.folder, { maxBytes: options.maxBytes })
    options.directory.on('change', () => this.#compare())
    options.workers.on('report', () => this.#forget())
  }

  /** Changes while the hub did not run get the time of its start. */
  static async open(options: ClusterEventsOptions): Promise<ClusterEvents> {
    const known = await readFile(join(options.folder, KNOWN), 'utf8')
      .then((text) => parseInventory(JSON.parse(text)))
      .catch((): Inventory => ({ pods: [], services: [] }))
    const events = new ClusterEvents(options, known)
    events.#compare()
    return events
  }

  /** Why events cannot be stored now. */
  get reason(): string | undefined {
    return this.#events.state.reason
  }

  append(events: readonly RecordedEvent[]): void {
    this.#events.append(events)
  }

  find(query: EventQuery): Promise<EventPage> {
    return this.#events.find(query, scrubCommandLine)
  }

  texts(start: number, end: number): AsyncGenerator<Buffer<ArrayBuffer>> {
    return this.#events.texts(start, end)
  }

  async close(): Promise<void> {
    this.#events.close()
    await this.#saved
  }

  #compare(): void {
    const { directory, folder, log, now } = this.#options
    const events = inventoryChanges(this.#known, directory.inventory, now())
    this.#known = directory.inventory
    if (events.length === 0) return
    this.append(events)
    if (this.#unsaved) return
    this.#unsaved = true
    // Changes that come while the file is written are written together.
    this.#saved = this.#saved
      .then(() => {
        this.#unsaved = false
        return writeDurably(join(folder, KNOWN), JSON.stringify(this.#known))
      })
      .catch((error: Error) => log.warn({ detail: error.message }, 'cannot save the known names'))
  }

  #forget(): void {
    const times = this.#options.workers.connected.map(({ report }) => report.recording.oldest_ts)
    const oldest = times.reduce<number>(
      (least, time) => Math.min(least, time ?? least),
      Number.POSITIVE_INFINITY,
    )
    if (!Number.isFinite(oldest)) return
    this.#events.forgetBefore(oldest)
    this.emit('forget', oldest)
  }
}
