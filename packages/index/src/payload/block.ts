import { brotliDecompressSync, constants, crc32 } from 'node:zlib'

/**
 * Payloads are kept together in blocks, because what calls say repeats from call to call. A block on disk is a header
 * of 28 bytes (little endian: magic, number, item count, raw length, stored length, CRC-32, codec) and its stored bytes.
 * The checksum is of all that is stored; of a block as it is (`PLAIN`) of its end alone, which says that it was written
 * whole: to sum up all of it would cost as much as writing it. Raw, a block is its items one after the other and then where each of them ends, 4 bytes each.
 */
export interface BlockHeader {
  readonly number: number
  readonly items: number
  readonly rawLength: number
  readonly storedLength: number
  readonly crc: number
  readonly codec: number
}

export const HEADER = 28
/** 0 was: as it is, summed up whole. */
export const BROTLI = 1
export const PLAIN = 2
const MAGIC = 0x314b4254 // "TBK1"
/** No block is longer: an item is at most two halves at the limits of the engine, far below. */
const LONGEST = 1 << 28

export const brotliOptions = (rawLength: number) => ({
  // What comes out has mostly less than a third of the length, and then fits one piece.
  chunkSize: Math.max(Math.ceil(rawLength / 3), 64),
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 0,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_SIZE_HINT]: rawLength,
  },
})

export function encodeHeader(header: BlockHeader): Uint8Array {
  const bytes = new Uint8Array(HEADER)
  const view = new DataView(bytes.buffer)
  const values = [
    MAGIC,
    header.number,
    header.items,
    header.rawLength,
    header.storedLength,
    header.crc,
    header.codec,
  ]
  for (const [i, value] of values.entries()) view.setUint32(i * 4, value, true)
  return bytes
}

/** Undefined where no block begins. */
export function decodeHeader(bytes: Uint8Array): BlockHeader | undefined {
  if (bytes.length < HEADER) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER)
  const at = (index: number) => view.getUint32(index * 4, true)
  const header = {
    number: at(1),
    items: at(2),
    rawLength: at(3),
    storedLength: at(4),
    crc: at(5),
    codec: at(6),
  }
  const sane = header.rawLength <= LONGEST && header.storedLength <= LONGEST && header.codec <= PLAIN
  return at(0) === MAGIC && sane && header.items * 4 <= header.rawLength ? header : undefined
}

export function isIntact(header: BlockHeader, stored: Uint8Array): boolean {
  return stored.length === header.storedLength && checksum(header, stored) === header.crc
}

export function checksum({ codec, items }: Pick<BlockHeader, 'codec' | 'items'>, stored: Uint8Array): number {
  return crc32(codec === PLAIN ? stored.subarray(stored.length - items * 4) : stored)
}

/** A block that was read back: its items by slot. */
export class Block {
  readonly #raw: Uint8Array
  readonly #ends: DataView
  readonly #items: number

  constructor(header: BlockHeader, stored: Uint8Array) {
    const raw =
      header.codec === BROTLI
        ? brotliDecompressSync(stored, { chunkSize: Math.max(header.rawLength, 64) })
        : stored
    const ends = raw.length - header.items * 4
    this.#raw = raw
    this.#items = header.items
    this.#ends = new DataView(raw.buffer, raw.byteOffset + ends, header.items * 4)
  }

  get size(): number {
    return this.#raw.length
  }

  item(slot: number): Uint8Array | undefined {
    if (slot >= this.#items) return undefined
    const start = slot === 0 ? 0 : this.#ends.getUint32((slot - 1) * 4, true)
    return this.#raw.subarray(start, this.#ends.getUint32(slot * 4, true))
  }
}
