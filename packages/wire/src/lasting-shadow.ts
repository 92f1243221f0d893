/** Bytes that code may read, and must not heed, behind the end of what it was asked for. */
const SLACK = 64
/** Chunks of files are a quarter of this; larger ones have no shadow. */
const MOST = 1 << 20
/** For one that what lasts is copied to. */
const ROOM = 320 * 1024
/** For connections that code follows: see `plain-segments.ts`. Memory that nobody touches takes no room. */
const PLOT = 32 * 1024 * 1024
/** For what code leaves behind. */
const NOTES = 16 * 1024
/** For chunks that are read into the memory at once, and in front of them for what the one before left unfinished. */
const STAGE = 256 * 1024
const LEAD = 64 * 1024
/** So much is copied at a time: of a chunk that only a few want to see, not all of it. */
const WINDOW = 32 * 1024
const PAGE = 64 * 1024

const { set, subarray } = Uint8Array.prototype

/**
 * What lasts of the file that is read now, a second time, in memory that code of WebAssembly sees. Instructions on 16 bytes at once
 * look through it several times as fast as JavaScript, which more than pays for the copy. Only of what lasts: other bytes
 * may have changed since.
 */
class LastingShadow {
  /** Of the memory: notes, and from there on the shadow. */
  readonly base = NOTES
  readonly memory: WebAssembly.Memory
  readonly words: Int32Array
  /** Of the same memory, for somebody who copies much of what is shown: see `borrowWriter`. */
  readonly room: Uint8Array
  /** Where in the memory the plot begins: behind the room, with what may be written past its end. */
  readonly plot = NOTES + MOST + SLACK + ROOM + SLACK
  /**
   * Where a chunk may be read to, in the place of the shadow: of what is wanted from there, and only of that, a copy is made that
   * lasts (`keep`). Behind it is a desk for whoever chooses.
   */
  readonly #stage: Uint8Array<ArrayBuffer>
  readonly desk = NOTES + LEAD + STAGE + SLACK
  readonly #bytes: Uint8Array<ArrayBuffer>
  #kept: Uint8Array | undefined
  #of: Uint8Array | undefined
  #length = 0
  /** The part of it that is copied. */
  #from = 0
  #to = 0

  constructor() {
    const room = NOTES + MOST + SLACK
    const pages = Math.ceil((this.plot + PLOT) / PAGE)
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    this.words = new Int32Array(this.memory.buffer, 0, NOTES >> 2)
    this.room = new Uint8Array(this.memory.buffer, room, ROOM)
    const buffer = this.memory.buffer as ArrayBuffer
    this.#stage = new Uint8Array(buffer, NOTES + LEAD, STAGE)
    this.#bytes = new Uint8Array(buffer)
  }

  /** What code of WebAssembly offers that sees this memory. */
  load<Offer>(code: string): Offer {
    const compiled = new WebAssembly.Module(Buffer.from(code, 'base64'))
    const { exports } = new WebAssembly.Instance(compiled, { memory: { memory: this.memory } })
    return exports as unknown as Offer
  }

  /** These bytes last. */
  begin(bytes: Uint8Array): void {
    this.#of = bytes.length <= MOST ? bytes : undefined
    this.#length = bytes.length
    this.#from = 0
    this.#to = bytes === this.#kept ? bytes.length : 0
    this.#kept = undefined
  }

  /** The stage, to be written to: what stood in the shadow is gone. */
  takeStage(): Uint8Array<ArrayBuffer> {
    this.#of = undefined
    return this.#stage
  }

  /** Whether they are on the stage. */
  stages(bytes: Uint8Array): boolean {
    return bytes.buffer === this.#stage.buffer
  }

  /** Puts bytes in front of the stage, and returns where they stand; undefined where they do not fit. */
  lead(bytes: Uint8Array): number | undefined {
    const at = this.#stage.byteOffset - bytes.length
    if (at < NOTES) return undefined
    this.#bytes.set(bytes, at)
    return at
  }

  /** A copy that lasts of the first `size` bytes of the shadow: when it begins, they need not be copied back. */
  keep(size: number): Uint8Array<ArrayBuffer> {
    const kept = this.lift(NOTES, NOTES + size)
    this.#kept = kept
    return kept
  }

  /** A copy that lasts of part of the memory. */
  lift(start: number, end: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(end - start).buffer)
    set.call(bytes, subarray.call(this.#bytes, start, end))
    return bytes
  }

  /** Whether `bytes[start, end)` stand in the memory, from `base + start` on. */
  shows(bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes !== this.#of) return false
    if (start < this.#from || end > this.#to) this.#copy(bytes, start, end)
    return true
  }

  /** Up to where `bytes` stand in the memory, from `at` on; `at` where they do not. `further`: further than before, if they go on. */
  reach(bytes: Uint8Array, at: number, further: boolean): number {
    if (bytes !== this.#of) return at
    if (further || at < this.#from || at >= this.#to) this.#copy(bytes, at, at)
    return this.#to
  }

  #copy(bytes: Uint8Array, start: number, end: number): void {
    const goesOn = start >= this.#from && start <= this.#to
    const from = goesOn ? this.#to : start
    const to = Math.min(this.#length, Math.max(end, from + WINDOW))
    set.call(this.#bytes, subarray.call(bytes, from, to), NOTES + from)
    if (!goesOn) this.#from = from
    this.#to = to
  }
}

/** One for each thread, as are the notes of what was looked at last. */
export const shadow = new LastingShadow()
