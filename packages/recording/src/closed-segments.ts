import { rmSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Segment } from './segment.ts'
import { indexPath } from './segment-index/index-file.ts'
import { openName } from './segment-name.ts'

/** The closed segments of a ring, oldest first, and what they come to: counted along, never by looking again. */
export class ClosedSegments {
  /** With their indexes. */
  bytes = 0
  packets = 0
  drops = 0
  diskDrops = 0
  /** Where the newest segment that was deleted to make space ended, in microseconds. */
  deletedUntil = 0
  readonly #all: Segment[] = []
  readonly #deleted: (path: string) => void

  /** `deleted` is called for each segment that was deleted, with the path that it had while it was written. */
  constructor(segments: readonly Segment[], deleted: (path: string) => void = () => {}) {
    this.#deleted = deleted
    for (const segment of segments) this.add(segment)
  }

  get all(): readonly Segment[] {
    return this.#all
  }

  add(segment: Segment): void {
    // Behind a write that was late, a younger one may be here already.
    const place = this.#all.findLastIndex(({ sequence }) => sequence < segment.sequence) + 1
    this.#all.splice(place, 0, segment)
    this.#count(segment, 1)
  }

  /** False where there is none, or it cannot be deleted. */
  deleteOldest(): boolean {
    const oldest = this.#all[0]
    if (oldest === undefined) return false
    try {
      unlinkSync(oldest.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
    }
    this.#all.shift()
    this.deletedUntil = Math.max(this.deletedUntil, oldest.end)
    this.#count(oldest, -1)
    if (oldest.indexBytes > 0) rmSync(indexPath(oldest.path), { force: true })
    this.#deleted(join(dirname(oldest.path), openName(oldest.sequence)))
    return true
  }

  /** The index of a segment takes so many bytes from now on. */
  indexed(segment: Segment, bytes: number): void {
    this.#all[this.#all.indexOf(segment)] = { ...segment, indexBytes: bytes }
    this.bytes += bytes
  }

  #count(segment: Segment, sign: 1 | -1): void {
    this.bytes += sign * (segment.bytes + segment.indexBytes)
    this.packets += sign * segment.packets
    this.drops += sign * segment.drops
    this.diskDrops += sign * segment.diskDrops
  }
}
