import type { Side, WasmChunkMemory } from '@tapdeck/wire'
import { HEAD_NOTES } from './layout.ts'
import code from './quick-heads.wasm.ts'

interface QuickHeadsCode {
  request(start: number, end: number, room: number): number
  response(start: number, end: number, room: number): number
}

const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE'] as const
const { METHOD, METHOD_END, PATH_END, STATUS, LENGTH } = HEAD_NOTES
const { TYPE_START, TYPE_END, UNUSUAL, OVERFLOW, MAY_NAME_GRAPHQL } = HEAD_NOTES

/** Reads plain HTTP heads in the chunk memory. The other members are valid until the next `read`. */
export class QuickHeads {
  readonly #memory: WasmChunkMemory
  readonly #words: Int32Array
  /** Resolved once: a lookup among the exports costs as much as the call. */
  readonly #request: QuickHeadsCode['request']
  readonly #response: QuickHeadsCode['response']

  constructor(memory: WasmChunkMemory) {
    const { request, response } = memory.load<QuickHeadsCode>(code)
    this.#memory = memory
    this.#words = memory.words
    this.#request = request
    this.#response = response
  }

  /** Length of the plain head at `start` if all of it is in the chunk memory; 0: it is not, or needs the full parser. */
  read(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const memory = this.#memory
    if (!memory.ensureLoaded(bytes, start, end)) return 0
    const { base } = memory
    const read = side === 0 ? this.#request : this.#response
    const length = read(base + start, base + end, base)
    const words = this.#words
    return length > 0 && words[UNUSUAL] === 0 && words[OVERFLOW] === 0 ? length : 0
  }

  get method(): string {
    return METHODS[this.#words[METHOD]]
  }

  get methodEnd(): number {
    return this.#words[METHOD_END]
  }

  get pathEnd(): number {
    return this.#words[PATH_END]
  }

  get status(): number {
    return this.#words[STATUS]
  }

  /** -1: not given. */
  get contentLength(): number {
    return this.#words[LENGTH]
  }

  /** Offset of the value of the content type; -1: not given. */
  get typeStart(): number {
    return this.#words[TYPE_START]
  }

  get typeEnd(): number {
    return this.#words[TYPE_END]
  }

  /** A segment of the path may begin with g. */
  get mayNameGraphql(): boolean {
    return this.#words[MAY_NAME_GRAPHQL] === 1
  }
}
