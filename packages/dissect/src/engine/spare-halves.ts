import { HalfStream } from './half-stream.ts'

/** Directions that keep what they have although they are at rest: those that were heard of last. */
const KEPT = 1024

/** Who has a half stream. */
export interface HalfOwner {
  /** It goes to somebody else: nothing must be known of it but its time. */
  leave(half: HalfStream): void
}

/**
 * Half streams for those that need one. Most directions are at rest, between two frames, and need none: the one that has had
 * its own for longest gives it up. A few keep theirs, so that connections in full swing do not pass them to and fro.
 */
export class SpareHalves {
  readonly #halves: HalfStream[] = []
  #next = 0

  take(owner: HalfOwner): HalfStream {
    const at = this.#next
    this.#next = (at + 1) % KEPT
    const half = this.#halves[at]
    if (half === undefined || (half.owner !== undefined && !half.isAtRest)) {
      // Whoever has it needs it: it is no longer ours.
      const made = new HalfStream()
      this.#halves[at] = made
      made.owner = owner
      return made
    }
    half.owner?.leave(half)
    half.owner = owner
    return half
  }
}
