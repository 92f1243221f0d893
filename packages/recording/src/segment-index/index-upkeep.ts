import type { Segment } from '../segment.ts'
import type { IndexBuilder } from './index-builder.ts'
import { indexBytes, writeIndex } from './index-file.ts'
import type { SegmentIndex } from './segment-index.ts'
import { SegmentIndexer } from './segment-indexer.ts'

/** What the ring lets its upkeep do. */
export interface IndexShelf {
  /** Closed segments, oldest first. */
  readonly closed: readonly Segment[]
  /** Makes room for so many bytes; it may delete segments for it. */
  makeRoom(bytes: number): boolean
  /** The index of a segment takes so many bytes from now on. */
  indexed(segment: Segment, bytes: number): void
}

interface IndexTask {
  readonly segment: Segment
  readonly indexer: SegmentIndexer
}

/** Gives closed segments their index, a little at a time. A segment that cannot have one is left without. */
export class IndexUpkeep {
  readonly #shelf: IndexShelf
  readonly #hopeless = new Set<number>()
  #task: IndexTask | undefined
  #settled = false

  constructor(shelf: IndexShelf) {
    this.#shelf = shelf
  }

  /** Stores the index of a segment that was made along with it. */
  keep(segment: Segment, index: IndexBuilder): void {
    // Where a write failed, it has read more than there is.
    const whole = index.at === segment.bytes ? index.finish() : undefined
    if (!this.#store(segment, whole)) this.#settled = false
  }

  /** Reads at most 1 MiB; true where there is more to do. */
  step(): boolean {
    if (this.#settled) return false
    const task = this.#task ?? this.#next()
    this.#task = task
    if (task === undefined) this.#settled = true
    else if (task.indexer.step()) {
      this.#task = undefined
      if (!this.#store(task.segment, task.indexer.finish())) this.#hopeless.add(task.segment.sequence)
    }
    return !this.#settled
  }

  close(): void {
    this.#task?.indexer.close()
    this.#task = undefined
    this.#settled = true
  }

  /** The newest first: it is still in the page cache, and it is what people ask for. */
  #next(): IndexTask | undefined {
    for (const segment of this.#shelf.closed.toReversed()) {
      if (segment.indexBytes > 0 || this.#hopeless.has(segment.sequence)) continue
      try {
        return { segment, indexer: new SegmentIndexer(segment.path, segment.bytes) }
      } catch {
        this.#hopeless.add(segment.sequence)
      }
    }
    return undefined
  }

  #store(segment: Segment, index: SegmentIndex | undefined): boolean {
    try {
      if (index === undefined || !this.#shelf.makeRoom(indexBytes(index))) return false
      // Making room may have deleted this very segment.
      if (!this.#shelf.closed.includes(segment)) return true
      this.#shelf.indexed(segment, writeIndex(segment.path, segment.bytes, index))
      return true
    } catch {
      return false
    }
  }
}
