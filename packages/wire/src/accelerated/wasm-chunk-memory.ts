const WASM_PAGE_BYTES = 64 * 1024
/** At the start of the memory: parameters and results of small functions. */
const NOTES_BYTES = 16 * 1024
/** A larger chunk is not copied here. Files are read in chunks of a quarter of this. */
const MAX_CHUNK_BYTES = 1 << 20
/** WebAssembly reads 16 bytes at once, so it may read (and must ignore) bytes after the end of a region. */
const PADDING = 64
const READ_BUFFER_BYTES = 256 * 1024
/** Of the packet filter: 128 Ki bits of flows, and 16 Ki SYNs of eight bytes. */
const FILTER_BYTES = 16 * 1024 + 128 * 1024
/** In front of the read buffer: an unfinished record of the chunk before. */
const MAX_CARRY_BYTES = 64 * 1024
/** A chunk is copied in steps of this size: often only a part of it is needed. */
const COPY_STEP = 32 * 1024

const { set, subarray } = Uint8Array.prototype

/**
 * A copy of the current chunk of a capture file in WebAssembly memory, where SIMD code searches it several times as
 * fast as JavaScript does. Only stable chunks are copied: other bytes may have changed since.
 *
 * The notes come first, then the chunk. The read buffer and the scratch space share the place of the chunk, because a
 * chunk that is read there is filtered and copied out before it is used.
 */
export class WasmChunkMemory {
  /** Where the chunk begins; the notes are before it. */
  readonly base = NOTES_BYTES
  readonly memory: WebAssembly.Memory
  /** The notes. */
  readonly words: Int32Array
  /** Scratch space for the packet filter, after the read buffer. */
  readonly scratchOffset = NOTES_BYTES + MAX_CARRY_BYTES + READ_BUFFER_BYTES + PADDING
  /** What the packet filter keeps from chunk to chunk, after the chunk area. */
  readonly filterOffset = NOTES_BYTES + MAX_CHUNK_BYTES + PADDING
  readonly #readBuffer: Uint8Array<ArrayBuffer>
  readonly #bytes: Uint8Array<ArrayBuffer>
  /** The result of the last `keepFiltered`: its bytes are at the start of the chunk area already. */
  #filtered: Uint8Array | undefined
  #chunk: Uint8Array | undefined
  #chunkLength = 0
  #loadedFrom = 0
  #loadedTo = 0

  constructor() {
    const pages = Math.ceil((this.filterOffset + FILTER_BYTES) / WASM_PAGE_BYTES)
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const buffer = this.memory.buffer as ArrayBuffer
    this.words = new Int32Array(buffer, 0, NOTES_BYTES >> 2)
    this.#readBuffer = new Uint8Array(buffer, NOTES_BYTES + MAX_CARRY_BYTES, READ_BUFFER_BYTES)
    this.#bytes = new Uint8Array(buffer)
  }

  /** The exports of a WebAssembly module that uses this memory. */
  load<Exports>(code: string): Exports {
    const compiled = new WebAssembly.Module(Buffer.from(code, 'base64'))
    const { exports } = new WebAssembly.Instance(compiled, { memory: { memory: this.memory } })
    return exports as unknown as Exports
  }

  /** `chunk` is the current chunk. It is stable: it will not change. */
  begin(chunk: Uint8Array): void {
    this.#chunk = chunk.length <= MAX_CHUNK_BYTES ? chunk : undefined
    this.#chunkLength = chunk.length
    this.#loadedFrom = 0
    this.#loadedTo = chunk === this.#filtered ? chunk.length : 0
    this.#filtered = undefined
  }

  /** A buffer to read a chunk of a file into. It overwrites the copy of the current chunk. */
  borrowReadBuffer(): Uint8Array<ArrayBuffer> {
    this.#chunk = undefined
    return this.#readBuffer
  }

  isInReadBuffer(bytes: Uint8Array): boolean {
    return bytes.buffer === this.#readBuffer.buffer
  }

  /** Puts bytes right before the read buffer and returns their offset; undefined if they do not fit. */
  prependCarry(bytes: Uint8Array): number | undefined {
    const at = this.#readBuffer.byteOffset - bytes.length
    if (at < NOTES_BYTES) return undefined
    this.#bytes.set(bytes, at)
    return at
  }

  /** A stable copy of the first `size` bytes of the chunk area. `begin` need not load them again. */
  keepFiltered(size: number): Uint8Array<ArrayBuffer> {
    const filtered = this.copyOut(NOTES_BYTES, NOTES_BYTES + size)
    this.#filtered = filtered
    return filtered
  }

  /** A stable copy of a part of the memory. */
  copyOut(start: number, end: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(end - start).buffer)
    set.call(bytes, subarray.call(this.#bytes, start, end))
    return bytes
  }

  /** Loads `bytes[start, end)` to `base + start`. False if `bytes` is not the current chunk. */
  ensureLoaded(bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes !== this.#chunk) return false
    if (start < this.#loadedFrom || end > this.#loadedTo) this.#load(bytes, start, end)
    return true
  }

  #load(bytes: Uint8Array, start: number, end: number): void {
    const continues = start >= this.#loadedFrom && start <= this.#loadedTo
    const from = continues ? this.#loadedTo : start
    const to = Math.min(this.#chunkLength, Math.max(end, from + COPY_STEP))
    set.call(this.#bytes, subarray.call(bytes, from, to), NOTES_BYTES + from)
    if (!continues) this.#loadedFrom = from
    this.#loadedTo = to
  }
}

/** The default memory of this thread. Dissectors use it, because one thread reads one chunk at a time. */
export const chunkMemory = new WasmChunkMemory()
