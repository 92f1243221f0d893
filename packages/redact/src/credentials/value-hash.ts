import { createHmac } from 'node:crypto'

/** What a masked value begins with. No character of it, or of the digits behind it, ends a cookie, a parameter or a literal. */
const MASKED = 'masked'
const DIGITS = 12
const IS_MASKED = /^masked(?:-[0-9a-f]{12})?$/
/** Characters of values whose hash is remembered, all together: most values recur. */
const MAX_REMEMBERED = 1 << 20

/** Replaces a value by a short hash of it, so that equal values stay equal. Values cannot be tried without the key. */
export class ValueHash {
  #key: Uint8Array | undefined
  readonly #known = new Map<string, string>()
  #remembered = 0

  /** Without a key there are no digits: all values look the same. */
  constructor(key?: Uint8Array) {
    this.#key = key
  }

  setKey(key: Uint8Array): void {
    this.#key = key
    this.#known.clear()
    this.#remembered = 0
  }

  of(value: string): string {
    // What was masked stays equal to itself.
    if (IS_MASKED.test(value)) return value
    if (this.#key === undefined) return MASKED
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const digest = createHmac('sha256', this.#key).update(value, 'latin1').digest('hex')
    const masked = `${MASKED}-${digest.slice(0, DIGITS)}`
    if (this.#remembered + value.length > MAX_REMEMBERED) {
      this.#known.clear()
      this.#remembered = 0
    }
    if (value.length <= MAX_REMEMBERED) {
      this.#known.set(value, masked)
      this.#remembered += value.length
    }
    return masked
  }
}
