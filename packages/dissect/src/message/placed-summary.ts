import type { ByteWriter } from '../bytes/byte-writer.ts'
import type { Summary } from '../contract/call.ts'
import type { CachedBytes } from '../memory/cached-bytes.ts'
import { briefText, word } from '../text/text.ts'

/** Columns of a call whose path is in its bytes. It becomes a string on access. */
export class PlacedSummary implements Summary {
  method: string | undefined
  status: number | string | undefined
  failure: string | undefined
  /**
   * The path is `pathIn[pathAt, pathEnd)`, usually UTF-8. If `pathIn` is undefined it was set as a string, or there
   * is none.
   */
  pathIn: Uint8Array | undefined
  pathAt: number
  pathEnd: number
  /** Decode as Latin-1. */
  #isLatin1: boolean
  #path: string | undefined

  constructor() {
    this.method = undefined
    this.status = undefined
    this.failure = undefined
    this.pathIn = undefined
    this.pathAt = 0
    this.pathEnd = 0
    this.#isLatin1 = false
    this.#path = undefined
  }

  placePath(memory: Uint8Array, at: number, end: number): void {
    this.pathIn = memory
    this.pathAt = at
    this.pathEnd = end
  }

  placeLatin1(memory: Uint8Array, at: number, end: number): void {
    this.placePath(memory, at, end)
    this.#isLatin1 = true
  }

  /** Sets the path as a string. */
  setPath(path: string): void {
    this.#path = path
  }

  get path(): string | undefined {
    if (this.pathIn !== undefined)
      this.#path ??= (this.#isLatin1 ? word : briefText)(this.pathIn, this.pathAt, this.pathEnd)
    return this.#path
  }

  /** Only the columns. */
  toJSON(): Summary {
    const { method, path, status, failure } = this
    return { method, path, status, failure }
  }
}

/** Columns that many calls share. */
export class CachedSummary implements Summary {
  readonly method: string
  readonly path: string
  readonly status: string
  readonly failure: string | undefined
  readonly #utf8: CachedBytes

  constructor(method: string, path: string, utf8: CachedBytes, status: string) {
    this.method = method
    this.path = path
    this.status = status
    this.failure = undefined
    this.#utf8 = utf8
  }

  writePath(writer: ByteWriter): void {
    writer.cached(this.#utf8)
  }
}

/** Appends the path as UTF-8, by copying bytes where possible. */
export function writePath(summary: Summary, writer: ByteWriter): void {
  if (summary instanceof PlacedSummary) {
    const { pathIn, pathAt, pathEnd } = summary
    if (pathIn !== undefined && writer.ascii(pathIn, pathAt, pathEnd)) return
  } else if (summary.writePath !== undefined) {
    summary.writePath(writer)
    return
  }
  const { path } = summary
  if (path !== undefined) writer.utf8(path)
}
