import type { ByteWriter } from '../../bytes/byte-writer.ts'
import type { Summary } from '../../contract/call.ts'
import { knownName } from './known-name.ts'
import { readName } from './name.ts'

/** The columns of a call whose path is a name in its bytes. The string is made when it is read. */
export class NameSummary implements Summary {
  method: string | undefined
  status: string | undefined
  failure: string | undefined
  /** The name is `#in[#at, #end)`, without pointers; where `#in` is undefined, it was read or is none. */
  #in: Uint8Array | undefined
  #at: number
  #end: number
  #path: string | undefined

  constructor() {
    this.method = undefined
    this.status = undefined
    this.failure = undefined
    this.#in = undefined
    this.#at = 0
    this.#end = 0
    this.#path = undefined
  }

  /** The name `bytes[at, stop)` of the message `bytes[start, end)`. Throws where a pointer leads nowhere. */
  placeName(bytes: Uint8Array, start: number, at: number, stop: number, end: number): void {
    // It may end in a pointer, which begins with such a byte; and the root has no labels.
    if (stop - at < 3 || bytes[stop - 2] >= 0xc0) {
      this.#path = readName(bytes, start, at, end)
      return
    }
    this.#in = bytes
    this.#at = at
    this.#end = stop
  }

  get path(): string | undefined {
    if (this.#in !== undefined) this.#path ??= knownName(this.#in, this.#at, this.#at, this.#end)
    return this.#path
  }

  writePath(writer: ByteWriter): void {
    if (this.#in !== undefined && writer.labels(this.#in, this.#at, this.#end - 1)) return
    const { path } = this
    if (path !== undefined) writer.utf8(path)
  }

  /** The columns and nothing else. */
  toJSON(): Summary {
    const { method, path, status, failure } = this
    return { method, path, status, failure }
  }
}
