/** Values that are valid until a time, by key. Beyond the bound the entry that was written first is dropped. */
export class ExpiringCache<Value> {
  readonly #max: number
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  constructor(max: number) {
    this.#max = max
  }

  /** The entry, so that a cached `undefined` differs from none. */
  get(key: string, now: number): { readonly value: Value } | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.until > now ? entry : undefined
  }

  set(key: string, value: Value, until: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#max) break
      this.#entries.delete(oldest)
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}
