import type { Segment } from '../segment.ts'
import type { IndexBuilder } from './index-builder.ts'
import { indexBytes, writeIndex } from './index-file.ts'
import type { SegmentIndex } from './segment-index.ts'
import { SegmentIndexer } from './segment-indexer.ts'

/** The operations of the ring that the maintenance uses. */
export interface IndexStorage {
  /** Closed segments, oldest first. */
  readonly closed: readonly Segment[]
  /** Frees this many bytes; may delete segments. */
  freeSpace(bytes: number): boolean
  /** The index of a segment uses this many bytes from now on. */
  indexed(segment: Segment, bytes: number): void
}

interface IndexTask {
  readonly segment: Segment
  readonly indexer: SegmentIndexer
}

/** Builds the index of closed segments in small steps. A segment that cannot be indexed stays without one. */
export class IndexMaintenance {
  readonly #storage: IndexStorage
  readonly #unindexable = new Set<number>()
  #task: IndexTask | undefined
  #settled = false

  constructor(storage: IndexStorage) {
    this.#storage = storage
  }

  /** Stores an index that was built while the segment was written. */
  keep(segment: Segment, index: IndexBuilder): void {
    // After a failed write, the index covers more than the segment.
    const whole = index.at === segment.bytes ? index.finish() : undefined
    if (!this.#store(segment, whole)) this.#settled = false
  }

  /** Reads at most 1 MiB; returns true if there is more to do. */
  step(): boolean {
    if (this.#settled) return false
    const task = this.#task ?? this.#next()
    this.#task = task
    if (task === undefined) this.#settled = true
    else if (task.indexer.step()) {
      this.#task = undefined
      if (!this.#store(task.segment, task.indexer.finish())) this.#unindexable.add(task.segment.sequence)
    }
    return !this.#settled
  }

  close(): void {
    this.#task?.indexer.close()
    this.#task = undefined
    this.#settled = true
  }

  /** Newest first: it is still in the page cache, and it is queried most. */
  #next(): IndexTask | undefined {
    for (const segment of this.#storage.closed.toReversed()) {
      if (segment.indexBytes > 0 || this.#unindexable.has(segment.sequence)) continue
      try {
        return { segment, indexer: new SegmentIndexer(segment.path, segment.bytes) }
      } catch {
        this.#unindexable.add(segment.sequence)
      }
    }
    return undefined
  }

  #store(segment: Segment, index: SegmentIndex | undefined): boolean {
    try {
      if (index === undefined || !this.#storage.freeSpace(indexBytes(index))) return false
      // Freeing space may have deleted this segment.
      if (!this.#storage.closed.includes(segment)) return true
      this.#storage.indexed(segment, writeIndex(segment.path, segment.bytes, index))
      return true
    } catch {
      return false
    }
  }
}
