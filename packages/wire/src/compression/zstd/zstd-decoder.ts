import { Malformed } from '../../malformed.ts'
import { type FrameHeader, headerLength, readFrameHeader } from './frame-header.ts'
import { Literals } from './literals.ts'
import { Sequences } from './sequences.ts'
import { Window } from './window.ts'
import { Xxh64 } from './xxh64.ts'

/** What comes next in the input. */
type Step = 'magic' | 'descriptor' | 'header' | 'block' | 'content' | 'checksum' | 'skip-length' | 'skip'

/** Takes what was unpacked, which it must copy where it is to last; false: that is enough for now. */
export type ZstdSink = (bytes: Uint8Array, start: number, end: number) => boolean

const MAGIC = 0xfd2fb528
const SKIPPABLE = 0x184d2a50
const RAW = 0
const RLE = 1
const PACKED = 2
/** Bit streams are read in words, which may reach beyond their end. */
const BEYOND = 8

/**
 * Unpacks zstd (RFC 8878): any number of frames in a row, with what may be skipped between them. It holds one block of
 * input and the window that the frame asks for, which has a ceiling.
 */
export class ZstdDecoder {
  #input = new Uint8Array(64)
  #held = 0
  #descriptor = 0
  #step: Step = 'magic'
  /** Bytes of input that the step takes. */
  #need = 4
  readonly #window = new Window()
  readonly #literals = new Literals()
  readonly #sequences = new Sequences()
  readonly #sum = new Xxh64()
  #header: FrameHeader = { window: 0, content: undefined, checksum: false }
  #produced = 0
  #lastBlock = false
  #blockType = RAW
  #blockSize = 0

  /** Unpacks `bytes[start, end)` until the sink has enough; where it stopped. Throws `Malformed`. */
  push(bytes: Uint8Array, start: number, end: number, sink: ZstdSink): number {
    let at = start
    while (at < end) {
      if (this.#step === 'skip') {
        const take = Math.min(this.#need, end - at)
        at += take
        this.#need -= take
        if (this.#need === 0) this.#expect('magic', 4)
      } else if (this.#held === 0 && at + this.#need + BEYOND <= bytes.length && at + this.#need <= end) {
        const from = at
        at += this.#need
        if (!this.#take(bytes, from, sink)) return at
      } else {
        const take = Math.min(this.#need - this.#held, end - at)
        if (this.#input.length < this.#need + BEYOND) this.#input = new Uint8Array(this.#need * 2 + BEYOND)
        this.#input.set(bytes.subarray(at, at + take), this.#held)
        this.#held += take
        at += take
        if (this.#held < this.#need) return at
        this.#held = 0
        if (!this.#take(this.#input, 0, sink)) return at
      }
    }
    return at
  }

  /** No more input comes. Throws `Malformed` where that is too early. */
  end(): void {
    if (this.#step !== 'magic' || this.#held > 0) throw new Malformed('zstd: it ends early')
  }

  #expect(step: Step, need: number): void {
    this.#step = step
    this.#need = need
  }

  /** One step whose input stands whole at `at`. */
  #take(bytes: Uint8Array, at: number, sink: ZstdSink): boolean {
    switch (this.#step) {
      case 'magic': {
        const magic = word(bytes, at)
        if (magic === MAGIC) this.#expect('descriptor', 1)
        else if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) this.#expect('skip-length', 4)
        else throw new Malformed('zstd: no frame')
        return true
      }
      case 'skip-length':
        this.#expect('skip', word(bytes, at))
        if (this.#need === 0) this.#expect('magic', 4)
        return true
      case 'descriptor':
        this.#descriptor = bytes[at]
        this.#expect('header', headerLength(bytes[at]) - 1)
        return this.#need > 0 || this.#take(bytes, at + 1, sink)
      case 'header':
        this.#begin(bytes, at)
        return true
      case 'block':
        return this.#beginBlock(bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16), sink)
      case 'content':
        return this.#unpack(bytes, at, sink)
      default:
        if (word(bytes, at) !== this.#sum.low()) throw new Malformed('zstd: another checksum')
        this.#expect('magic', 4)
        return true
    }
  }

  #begin(bytes: Uint8Array, at: number): void {
    const header = new Uint8Array(this.#need + 1)
    header[0] = this.#descriptor
    header.set(bytes.subarray(at, at + this.#need), 1)
    this.#header = readFrameHeader(header, 0)
    this.#window.reset(this.#header.window)
    this.#literals.reset()
    this.#sequences.reset()
    this.#sum.reset()
    this.#produced = 0
    this.#expect('block', 3)
  }

  #beginBlock(header: number, sink: ZstdSink): boolean {
    this.#lastBlock = (header & 1) !== 0
    this.#blockType = (header >> 1) & 3
    this.#blockSize = header >> 3
    if (this.#blockType > PACKED) throw new Malformed('zstd: no such kind of block')
    if (this.#blockSize > this.#window.block) throw new Malformed('zstd: a block that is too long')
    this.#expect('content', this.#blockType === RLE ? 1 : this.#blockSize)
    // An empty block has no content to wait for.
    return this.#need > 0 || this.#unpack(this.#input, 0, sink)
  }

  #unpack(bytes: Uint8Array, at: number, sink: ZstdSink): boolean {
    const window = this.#window
    window.makeRoom()
    const before = window.at
    const end = at + this.#need
    if (this.#blockType === RAW) window.append(bytes, at, end)
    else if (this.#blockType === RLE) window.repeat(bytes[at], this.#blockSize)
    else this.#sequences.run(bytes, this.#literals.read(bytes, at, end), end, this.#literals, window)
    this.#produced += window.at - before
    if (this.#header.checksum) this.#sum.update(window.bytes, before, window.at)
    if (this.#lastBlock) this.#finish()
    else this.#expect('block', 3)
    return window.at === before || sink(window.bytes, before, window.at)
  }

  #finish(): void {
    const { content, checksum } = this.#header
    if (content !== undefined && content !== this.#produced) throw new Malformed('zstd: another length')
    if (checksum) this.#expect('checksum', 4)
    else this.#expect('magic', 4)
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}
