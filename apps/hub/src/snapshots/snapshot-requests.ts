import { z } from 'zod'
import type { Log } from '../log.ts'
import type { StateStore } from '../state/state-store.ts'

const DOCUMENTS = 'snapshot-requests/'

const time = z.number()
const gap = z.object({ node: z.string(), from_ts: time, to_ts: time, reason: z.string(), detail: z.string() })

const shape = z.object({
  name: z.string(),
  created_at: z.string(),
  /** Of the window, as it was asked for. */
  duration: z.string(),
  window: z.object({ start: time, end: time, beyond: z.boolean() }),
  nodes: z.array(z.object({ node: z.string(), expected_bytes: z.number() })),
  /** Of nodes that were away when it was asked for: nothing of them gets into it. */
  away: z.array(gap),
  /** How often it was begun again. */
  restarts: z.number().int(),
})

/** A snapshot that was asked for, and is not finished. */
export type SnapshotRecord = z.output<typeof shape>

/** Snapshots that are being made, in the state of the hub: the next hub continues them. */
export class SnapshotRequests {
  readonly #state: StateStore
  readonly #log: Log
  /** By name, what may be stored: a snapshot that is deleted must not leave its request behind. */
  readonly #stored = new Map<string, unknown>()

  constructor(state: StateStore, log: Log) {
    this.#state = state
    this.#log = log
  }

  async load(): Promise<SnapshotRecord[]> {
    const found: SnapshotRecord[] = []
    for (const document of await this.#state.names(DOCUMENTS)) {
      this.#stored.set(document.slice(DOCUMENTS.length), undefined)
      try {
        const record = shape.parse(JSON.parse((await this.#state.read(document)) ?? ''))
        if (DOCUMENTS + record.name !== document) throw new Error('it is the request of another snapshot')
        found.push(record)
      } catch (error) {
        this.#log.warn({ document, err: error }, 'cannot read the request of a snapshot; it is not continued')
      }
    }
    return found
  }

  /**
   * A bucket that is away must not prevent a snapshot, because the rings forget meanwhile: then only the disk of this hub has
   * the request, and a restart ends it.
   */
  async save(record: SnapshotRecord): Promise<void> {
    this.#stored.set(record.name, record)
    await this.#state
      .write(DOCUMENTS + record.name, JSON.stringify(record))
      .catch((error) =>
        this.#log.warn(
          { snapshot: record.name, err: error },
          'cannot store the request of a snapshot; a restart of the hub would end it',
        ),
      )
  }

  /** It is finished. If that cannot be stored, the next start sees it, or who deletes the snapshot tries again. */
  async finish(name: string): Promise<void> {
    await this.remove(name).catch((error) =>
      this.#log.warn({ snapshot: name, err: error }, 'cannot store that a snapshot is finished'),
    )
  }

  /** Throws what the state throws: a snapshot that is deleted must not be taken again. */
  async remove(name: string): Promise<void> {
    if (!this.#stored.has(name)) return
    const stored = this.#stored.get(name)
    await this.#state.remove(DOCUMENTS + name)
    // Not one that was stored meanwhile.
    if (this.#stored.get(name) === stored) this.#stored.delete(name)
  }
}
