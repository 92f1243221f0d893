import { ByteWriter, type Call, writeExchange, writePath } from '@tapdeck/dissect'

/** "The first KB of bodies." */
export const BODY = 1024
/** Blocks of packed calls, as the index fills them before it compresses them. */
const BLOCK = 256 * 1024

/** Calls as the index takes them: columns, raw headers, the first KB of bodies. Blocks are filled again and again. */
export class PackedCalls {
  count = 0
  #full = 0
  readonly #block = new ByteWriter(2 * BLOCK)
  readonly #paths = new ByteWriter(2 * BLOCK)

  add(call: Call): void {
    this.count++
    writePath(call.summary, this.#paths)
    if (this.#paths.length > BLOCK) this.#paths.cut(0)
    writeExchange(call, this.#block)
    if (this.#block.length < BLOCK) return
    this.#full += this.#block.length
    this.#block.cut(0)
  }

  /** Of all of them. */
  get bytes(): number {
    return this.#full + this.#block.length
  }
}
