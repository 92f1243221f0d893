import { MAX_BLOCK, walkBlocks } from './block-walk.ts'
import type { RandomReader } from './random-reader.ts'
import { BLOCK } from './segment-blocks.ts'
import { linkOf } from './segment-index/block-keys.ts'
import type { Wanted } from './segment-index/segment-index.ts'
import type { SnapshotFile } from './snapshot.ts'

/** Of an enhanced packet block: where the packet itself begins. */
const PACKET = 28
/** Code of the option that holds a comment (draft-ietf-opsawg-pcapng, 3.5). */
const COMMENT = 1
/** Pieces that live long enough to be seen by two collections of young garbage wait for one of all: small ones are fewer bytes. */
const CHUNK = 256 * 1024

/** Selects and annotates the packets of a recording during an export. */
export interface PacketFilter {
  /** Blocks to insert after each section header. */
  readonly afterSection?: Uint8Array
  /** Packets that are not of these are dropped in any case: of a file in a bucket, what holds none of them is not read. */
  readonly wanted?: Wanted | undefined
  /** The packet is `bytes[start, end)`; time in microseconds. False drops it, a text is added as its comment. */
  packet(
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    link: number,
  ): boolean | Uint8Array
  /** A part could not be read; reading continues after it. */
  damaged(reason: string): void
}

/**
 * The blocks of files that the ring wrote, one file after the other, changed only by the filter. Unchanged parts are not
 * copied. Each piece has its own buffer.
 */
export async function* filterFiles(
  files: readonly SnapshotFile[],
  filter: PacketFilter,
): AsyncGenerator<Uint8Array> {
  for (const { path, size_bytes, open, index } of files) {
    const known = filter.wanted && (await index?.())
    const ranges = known?.select(filter.wanted!) ?? [{ at: 0, end: size_bytes }]
    if (ranges.length === 0) continue
    const file = await open().catch((error: NodeJS.ErrnoException) => {
      // What cannot be fetched now is not damaged.
      if (error.code === undefined) throw error
      filter.damaged(error.message)
      return undefined
    })
    if (file === undefined) continue
    try {
      const links: number[] = []
      for (const { at, end } of ranges) yield* filterRange(file, path, { at, end, links }, filter)
    } finally {
      await file.close()
    }
  }
}

/** Whole blocks of a file; `links` are those of its interfaces so far. */
async function* filterRange(
  file: RandomReader,
  path: string,
  { at: from, end: size, links }: { readonly at: number; readonly end: number; readonly links: number[] },
  filter: PacketFilter,
): AsyncGenerator<Uint8Array> {
  let bufferSize = CHUNK
  for (let at = from; at < size; ) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(bufferSize, size - at))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    const bytes = new Uint8Array(buffer.buffer, 0, bytesRead)
    const { piece, walked, broken } = filterChunk(bytes, links, filter)
    if (piece.length > 0) yield piece
    at += walked
    const cut = walked === 0 && buffer.length === bufferSize && bufferSize < MAX_BLOCK
    bufferSize = cut ? MAX_BLOCK : CHUNK
    if (!broken && (walked > 0 || cut)) continue
    const next = await nextBlock(file, at + 4, size)
    filter.damaged(`${path} cannot be read from byte ${at} to ${next} of ${size}`)
    at = next
  }
}

/** The position of the next intact block after damage; blocks are aligned to 32 bits. */
async function nextBlock(file: RandomReader, from: number, size: number): Promise<number> {
  const buffer = new Uint8Array(2 * MAX_BLOCK)
  for (let at = from; at < size; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead < 12) return size
    const last = bytesRead < buffer.length ? bytesRead - 12 : MAX_BLOCK
    for (let offset = 0; offset <= last; offset += 4)
      if (isBlock(buffer, offset, bytesRead)) return at + offset
    at += last + 4
  }
  return size
}

function isBlock(bytes: Uint8Array, at: number, end: number): boolean {
  const upTo = at + Math.max(12, u32(bytes, at + 4))
  return upTo <= end && walkBlocks(bytes, at, upTo, IGNORE).at === upTo
}

const IGNORE = { packet() {}, statistics() {}, other() {} }

function filterChunk(
  bytes: Uint8Array,
  links: number[],
  filter: PacketFilter,
): { readonly piece: Uint8Array; readonly walked: number; readonly broken: boolean } {
  /** The output: parts of `bytes`, and the blocks between them. */
  const parts: Uint8Array[] = []
  let from = 0
  let kept = 0
  /** Moves the kept bytes up to `to` together, and continues at `next`. */
  const take = (to: number, next: number) => {
    if (kept !== from) bytes.copyWithin(kept, from, to)
    kept += to - from
    from = next
  }
  let began = 0
  const insert = (at: number, next: number, more: Uint8Array) => {
    take(at, next)
    parts.push(bytes.subarray(began, kept), more)
    began = kept
  }
  const { at, damaged } = walkBlocks(bytes, 0, bytes.length, {
    packet(start, end, time) {
      const packet = start + PACKET
      const captured = u32(bytes, start + 20)
      const link = links[u32(bytes, start + 8)] ?? 0
      const verdict = filter.packet(bytes, packet, packet + captured, u32(bytes, start + 24), time, link)
      if (verdict === false) take(start, end)
      else if (verdict !== true) insert(start, end, commented(bytes, start, end, verdict))
    },
    statistics() {},
    other(start, end, type) {
      if (type === BLOCK.interface) links.push(linkOf(bytes, start))
      else if (type === BLOCK.section) {
        links.length = 0
        if (filter.afterSection) insert(end, end, filter.afterSection)
      }
    },
  })
  take(at, at)
  parts.push(bytes.subarray(began, kept))
  return { piece: parts.length === 1 ? parts[0]! : Buffer.concat(parts), walked: at, broken: damaged }
}

/** The enhanced packet block `bytes[start, end)` with one more option. */
function commented(bytes: Uint8Array, start: number, end: number, comment: Uint8Array): Uint8Array {
  const captured = u32(bytes, start + 20)
  const options = start + PACKET + captured + (-captured & 3)
  const hasOptions = options < end - 4
  const added = 4 + comment.length + (-comment.length & 3) + (hasOptions ? 0 : 4)
  const block = new Uint8Array(end - start + added)
  const view = new DataView(block.buffer)
  block.set(bytes.subarray(start, options))
  const at = options - start
  view.setUint16(at, COMMENT, true)
  view.setUint16(at + 2, comment.length, true)
  block.set(comment, at + 4)
  block.set(bytes.subarray(options, end - 4), at + added)
  view.setUint32(4, block.length, true)
  view.setUint32(block.length - 4, block.length, true)
  return block
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}
