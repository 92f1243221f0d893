const pageBytes = 256 * 1024
const NEWLINE = 10
const BRACE = 0x7d
const COMMA = 0x2c

/** Lines of JSON objects in a buffer, on their way out. */
export class Page {
  #bytes = Buffer.allocUnsafe(pageBytes)
  #used = 0
  #line = 0

  /** What is full, to be written before a line of so many bytes is added; undefined where there is room. */
  turn(room: number): Buffer | undefined {
    if (this.#used + room <= this.#bytes.length) return undefined
    const full = this.#bytes.subarray(0, this.#used)
    this.#bytes = Buffer.allocUnsafe(Math.max(pageBytes, room))
    this.#used = 0
    return full
  }

  /** Begins a line with an object. */
  add(object: Uint8Array): void {
    this.#line = this.#used
    this.#bytes.set(object, this.#used)
    this.#used += object.length
  }

  /** Adds members, which come without braces, to the object of the line. */
  join(members: Uint8Array): void {
    if (members.length === 0) return
    this.#bytes[this.#used - 1] = COMMA
    this.#bytes.set(members, this.#used)
    this.#used += members.length
    this.#bytes[this.#used++] = BRACE
  }

  get line(): string {
    return this.#bytes.toString('utf8', this.#line, this.#used)
  }

  /** Takes the line back. */
  drop(): void {
    this.#used = this.#line
  }

  end(): void {
    this.#bytes[this.#used++] = NEWLINE
  }

  rest(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }
}
