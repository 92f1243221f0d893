import type { ByteWriter } from './byte-writer.ts'
import type { Summary } from './call.ts'
import type { SteadyBytes } from './steady-bytes.ts'
import { briefText, word } from './text.ts'

/** The columns of a call whose path stands in its bytes: it becomes a string when somebody asks for one. */
export class PlacedSummary implements Summary {
  method: string | undefined
  status: number | string | undefined
  failure: string | undefined
  /** The path is `pathIn[pathAt, pathEnd)`, in UTF-8 if its client wrote such. Where `pathIn` is undefined, it was told or is none. */
  pathIn: Uint8Array | undefined
  pathAt: number
  pathEnd: number
  /** It is shown as one character a byte instead. */
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

  /** The path, where the string is at hand. */
  tellPath(path: string): void {
    this.#path = path
  }

  get path(): string | undefined {
    if (this.pathIn !== undefined)
      this.#path ??= (this.#isLatin1 ? word : briefText)(this.pathIn, this.pathAt, this.pathEnd)
    return this.#path
  }

  /** The columns and nothing else. */
  toJSON(): Summary {
    const { method, path, status, failure } = this
    return { method, path, status, failure }
  }
}

/** The columns of calls that say the same again and again. */
export class SteadySummary implements Summary {
  readonly method: string
  readonly path: string
  readonly status: string
  readonly failure: string | undefined
  readonly #utf8: SteadyBytes

  constructor(method: string, path: string, utf8: SteadyBytes, status: string) {
    this.method = method
    this.path = path
    this.status = status
    this.failure = undefined
    this.#utf8 = utf8
  }

  writePath(writer: ByteWriter): void {
    writer.steady(this.#utf8)
  }
}

/** The path of a call as UTF-8, by a copy where that will do. Nothing where it has none. */
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
