import { JsonBytes, jsonFragment, LINE } from '@tapdeck/dissect'
import { CALL } from './call-batch.ts'

const pageBytes = 512 * 1024
const NEWLINE = 10
const BRACE = 0x7d
const COMMA = 0x2c
const DNS = jsonFragment(',"dns":')

/** What a full call has a second time, after all that is in its line. */
const AGAIN = [
  [jsonFragment(',"req_headers":'), CALL.marks + LINE.reqHeaders],
  [jsonFragment(',"resp_headers":'), CALL.marks + LINE.respHeaders],
  [jsonFragment(',"req_body":'), CALL.marks + LINE.reqBody],
  [jsonFragment(',"resp_body":'), CALL.marks + LINE.respBody],
] as const

/** Lines of JSON objects in a buffer, on their way out. There are two buffers, so that one is filled while the other is written. */
export class Page {
  #out = new JsonBytes(pageBytes + pageBytes / 4)
  #other = new JsonBytes(pageBytes + pageBytes / 4)
  #line = 0

  /** Adds the line of the call whose numbers begin at `base`, with the names that its ends had. */
  add(
    text: Uint8Array,
    numbers: Uint32Array,
    base: number,
    begin: number,
    src: string | undefined,
    dst: string | undefined,
  ): void {
    const out = this.#out
    const middle = begin + numbers[base + CALL.marks + LINE.middle]!
    this.#line = out.at
    let from = begin
    if (src !== undefined) from = this.#name(text, from, begin + numbers[base + CALL.marks + LINE.src]!, src)
    if (dst !== undefined) from = this.#name(text, from, begin + numbers[base + CALL.marks + LINE.dst]!, dst)
    out.part(text, from, middle)
    // What is on the page already is copied for less than what is elsewhere.
    const shift = out.at - numbers[base + CALL.marks + LINE.middle]!
    for (let i = 0; i < AGAIN.length; i++) {
      const mark = base + AGAIN[i]![1]
      const end = numbers[mark + 1]!
      if (end === 0) continue
      out.fragment(AGAIN[i]![0])
      out.again(shift + numbers[mark]!, shift + end)
    }
    out.part(text, middle, numbers[base + CALL.end]!)
  }

  /** Adds members, which come without braces, to the object of the line: `bytes[start, end)`. */
  join(bytes: Uint8Array, start: number, end: number): void {
    if (start === end) return
    const out = this.#out
    out.bytes[out.at - 1] = COMMA
    out.part(bytes, start, end)
    out.byte(BRACE)
  }

  /** The same, out of all of `bytes`. */
  joinAll(bytes: Uint8Array): void {
    const out = this.#out
    out.bytes[out.at - 1] = COMMA
    out.copy(bytes)
    out.byte(BRACE)
  }

  get line(): string {
    return Buffer.from(this.#out.bytes.buffer).toString('utf8', this.#line, this.#out.at)
  }

  /** Takes the line back. */
  drop(): void {
    this.#out.at = this.#line
  }

  /** Ends the line. Whether the page is full. */
  end(): boolean {
    this.#out.byte(NEWLINE)
    return this.#out.at >= pageBytes
  }

  /** What is on it, true until the next turn but one; then it is empty. */
  turn(): Buffer {
    const { bytes, at } = this.#out
    const next = this.#other
    this.#other = this.#out
    this.#out = next
    next.at = 0
    return Buffer.from(bytes.buffer, 0, at)
  }

  /** Copies up to the brace that closes an end, and puts its name there. */
  #name(text: Uint8Array, from: number, brace: number, name: string): number {
    this.#out.part(text, from, brace)
    this.#out.fragment(DNS)
    this.#out.string(name)
    return brace
  }
}
