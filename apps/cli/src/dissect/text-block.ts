/** Texts one behind the other in one buffer. */
export class TextBlock {
  used = 0
  readonly #room: number
  #bytes: Buffer<ArrayBuffer>

  constructor(room: number) {
    this.#room = room
    this.#bytes = Buffer.from(new ArrayBuffer(room))
  }

  /** Where the text ends. */
  add(text: string): number {
    // No character of UTF-16 needs more than three bytes.
    this.#reserve(text.length * 3)
    this.used += this.#bytes.write(text, this.used)
    return this.used
  }

  /** What is in it, in a buffer that is now the caller's; the block begins anew. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#bytes.buffer, 0, this.used)
    this.#bytes = Buffer.from(new ArrayBuffer(this.#room))
    this.used = 0
    return taken
  }

  #reserve(more: number): void {
    if (this.used + more <= this.#bytes.length) return
    const grown = Buffer.from(new ArrayBuffer(Math.max(this.#bytes.length * 2, this.used + more)))
    grown.set(this.#bytes.subarray(0, this.used))
    this.#bytes = grown
  }
}
