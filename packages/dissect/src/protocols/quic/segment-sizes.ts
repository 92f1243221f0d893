/** Longer datagrams than this are several that the kernel sends in one go, and a capture on the sender has as one. */
const MAX_SINGLE = 1500
/** RFC 9000 §14: no path has less. */
const MIN_SIZE = 1200
/** Sizes that senders begin with. */
const USUAL = [1200, 1252, 1280, 1350]
const MAX_KNOWN = 8

/** The sizes that the datagrams of one side may have. Within a long one all have the same size, except for the last. */
export class SegmentSizes {
  #known: number[] = []

  static isJoined(length: number): boolean {
    return length > MAX_SINGLE
  }

  /** A datagram that came alone. */
  seen(length: number): void {
    if (length >= MIN_SIZE && length <= MAX_SINGLE) this.prefer(length)
  }

  /** Those to try, the most probable first. */
  get candidates(): readonly number[] {
    return [...new Set([...this.#known, ...USUAL])]
  }

  /** This size was right. */
  prefer(size: number): void {
    if (this.#known[0] === size) return
    this.#known = [size, ...this.#known.filter((one) => one !== size)].slice(0, MAX_KNOWN)
  }
}
