/** A limit that several buffers share. */
export class ByteBudget {
  used = 0
  readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  get exhausted(): boolean {
    return this.used > this.limit
  }

  /** Books `bytes` more, or fewer where negative. */
  book(bytes: number): void {
    this.used += bytes
  }
}
