import { Malformed } from '../../malformed.ts'
import { BitReader } from './bit-reader.ts'
import { type HuffmanTable, readHuffmanTable } from './huffman-table.ts'
import { MAX_BLOCK } from './limits.ts'

const RAW = 0
const RLE = 1
const TREELESS = 3

/** The literals of a block, RFC 8878 §3.1.1.3.1. The tree of one block may serve those after it. */
export class Literals {
  bytes = new Uint8Array(0)
  size = 0
  #table: HuffmanTable | undefined
  readonly #reader = new BitReader()

  /** A new frame begins. */
  reset(): void {
    this.#table = undefined
  }

  /** Reads those at `start`; where they end. */
  read(bytes: Uint8Array, start: number, end: number): number {
    if (start >= end) throw new Malformed('zstd: no literals')
    const kind = bytes[start] & 3
    const format = (bytes[start] >> 2) & 3
    return kind === RAW || kind === RLE
      ? this.#plain(bytes, start, end, kind, format)
      : this.#packed(bytes, start, end, kind, format)
  }

  #plain(bytes: Uint8Array, start: number, end: number, kind: number, format: number): number {
    const width = format === 1 ? 2 : format === 3 ? 3 : 1
    const header = little(bytes, start, width, end)
    const size = width === 1 ? header >> 3 : header >> 4
    const at = start + width
    const stop = at + (kind === RAW ? size : 1)
    if (size > MAX_BLOCK || stop > end) throw new Malformed('zstd: too many literals')
    this.#resize(size)
    if (kind === RAW) this.bytes.set(bytes.subarray(at, stop))
    else this.bytes.fill(bytes[at], 0, size)
    return stop
  }

  #resize(size: number): void {
    if (size > this.bytes.length) this.bytes = new Uint8Array(Math.min(MAX_BLOCK, size * 2))
    this.size = size
  }

  #packed(bytes: Uint8Array, start: number, end: number, kind: number, format: number): number {
    const width = format < 2 ? 3 : format + 2
    const bits = format < 2 ? 10 : format * 4 + 6
    const header = little(bytes, start, width, end)
    const mask = 2 ** bits
    const size = Math.floor(header / 16) % mask
    const packed = Math.floor(header / 16 / mask) % mask
    let at = start + width
    const stop = at + packed
    if (size > MAX_BLOCK || stop > end) throw new Malformed('zstd: too many literals')
    if (kind !== TREELESS) {
      const tree = readHuffmanTable(bytes, at, stop)
      this.#table = tree.table
      at = tree.end
    }
    const table = this.#table
    if (table === undefined) throw new Malformed('zstd: literals without a tree')
    this.#resize(size)
    if (format === 0) this.#stream(bytes, at, stop, 0, size, table)
    else this.#fourStreams(bytes, at, stop, size, table)
    return stop
  }

  #fourStreams(bytes: Uint8Array, start: number, end: number, size: number, table: HuffmanTable): void {
    if (end - start < 6) throw new Malformed('zstd: no jump table')
    const each = (size + 3) >> 2
    if (each * 3 > size) throw new Malformed('zstd: too few literals')
    let at = start + 6
    for (let i = 0; i < 4; i++) {
      const stop = i === 3 ? end : at + (bytes[start + i * 2] | (bytes[start + i * 2 + 1] << 8))
      if (stop > end) throw new Malformed('zstd: literals beyond their end')
      this.#stream(bytes, at, stop, each * i, i === 3 ? size : each * (i + 1), table)
      at = stop
    }
  }

  #stream(
    bytes: Uint8Array,
    start: number,
    end: number,
    from: number,
    to: number,
    table: HuffmanTable,
  ): void {
    const reader = this.#reader
    reader.open(bytes, start, end)
    const { bits, entries } = table
    const out = this.bytes
    const mask = (1 << bits) - 1
    let { left } = reader
    let at = from
    // Two symbols from one look as long as that cannot reach before the beginning.
    for (; at + 1 < to && left >= 32; at += 2) {
      const position = left - 24
      const place = start + (position >> 3)
      const word =
        (bytes[place] | (bytes[place + 1] << 8) | (bytes[place + 2] << 16) | (bytes[place + 3] << 24)) >>>
        (position & 7)
      const first = entries[(word >>> (24 - bits)) & mask]
      out[at] = first
      const used = first >> 8
      const second = entries[(word >>> (24 - bits - used)) & mask]
      out[at + 1] = second
      left -= used + (second >> 8)
    }
    reader.left = left
    for (; at < to; at++) {
      const entry = entries[reader.peek(bits)]
      out[at] = entry
      reader.left -= entry >> 8
    }
    if (reader.left !== 0) throw new Malformed('zstd: literals of another length')
  }
}

function little(bytes: Uint8Array, at: number, width: number, end: number): number {
  if (at + width > end) throw new Malformed('zstd: a header that is cut')
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]
  return value
}
