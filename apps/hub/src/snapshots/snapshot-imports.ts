import { Problem } from '@tapdeck/api'
import type { Snapshot, SnapshotStore } from '@tapdeck/recording'
import { formatDuration } from '@tapdeck/units'
import type { Log } from '../log.ts'
import type { ArrivingSnapshots } from './arriving-snapshots.ts'
import { type ImportRequest, importCapture } from './import-capture.ts'
import { importNames } from './import-names.ts'
import { IDLE_MS, OpenImports } from './open-imports.ts'
import type { SnapshotNames } from './snapshot-names.ts'

export interface SnapshotImportsOptions {
  readonly store: SnapshotStore
  readonly names: SnapshotNames
  readonly arriving: ArrivingSnapshots
  readonly log: Log
  readonly now: () => number
  readonly changed: () => void
}

const GIVEN_UP = `abandoned: the import announced more files, and none arrived for ${formatDuration(IDLE_MS)}`

/** Makes snapshots out of capture files, which may arrive one after another. */
export class SnapshotImports {
  readonly #options: SnapshotImportsOptions
  readonly #open: OpenImports

  constructor(options: SnapshotImportsOptions) {
    this.#options = options
    this.#open = new OpenImports(options.now)
  }

  /** Whether more files of it may arrive. */
  isOpen(name: string): boolean {
    return this.#open.has(name)
  }

  forget(name: string): void {
    this.#open.delete(name)
  }

  /** Makes a snapshot out of a capture file, or adds one to `open`, the snapshot that was left open. */
  async import(request: ImportRequest, open?: Snapshot): Promise<void> {
    const { name, append, more, kind = 'capture' } = request
    const { store, names, arriving, now, changed } = this.#options
    if (kind === 'inventory' && !append && !more)
      throw new Problem(
        400,
        'invalid_input',
        'A snapshot needs a capture: send one with the inventory, or set more=true and send it next',
      )
    if (append && !this.#open.has(name))
      throw new Problem(
        409,
        'snapshot_closed',
        `Snapshot "${name}" is not an open import`,
        open?.error === undefined ? {} : { hint: `It failed: ${open.error}` },
      )
    if (append) arriving.resume(name)
    else
      await arriving.begin(name, {
        duration: '0s',
        start_ts: null,
        end_ts: null,
        created_at: new Date(now()).toISOString(),
        nodes: kind === 'capture' ? [request.node] : [],
        source: 'import',
      })
    this.#open.delete(name)
    try {
      if (kind === 'capture') await importCapture(store, request)
      else await names.write(name, await importNames(request.bytes))
      if (!more && store.get(name)?.nodes.length === 0)
        throw new Problem(400, 'invalid_input', 'A snapshot needs a capture: only an inventory was sent')
      if (more) this.#open.add(name)
      else await store.setStatus(name, 'completed')
    } catch (error) {
      if (append) this.#open.add(name)
      else await store.remove(name)
      throw error
    } finally {
      arriving.end(name)
      changed()
    }
  }

  /** Imports whose next file did not come for long have failed: nothing is kept of them. */
  async abandonIdle(): Promise<void> {
    const { store, arriving, log, changed } = this.#options
    for (const name of this.#open.idle()) {
      this.#open.delete(name)
      arriving.resume(name)
      try {
        await store.discard(name, GIVEN_UP)
        log.info({ snapshot: name }, 'abandoned an import: no further file arrived')
      } catch (error) {
        log.warn({ snapshot: name, err: error }, 'cannot delete an abandoned import')
      } finally {
        arriving.end(name)
        changed()
      }
    }
  }
}
