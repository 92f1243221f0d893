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
  readonly #bytes: Uint8Array
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
    this.#bytes = new Uint8Array(this.memory.buffer)
  }

  /** These bytes last. */
  begin(bytes: Uint8Array): void {
    this.#of = bytes.length <= MOST ? bytes : undefined
    this.#length = bytes.length
    this.#from = 0
    this.#to = 0
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
