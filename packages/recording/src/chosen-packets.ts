import { openSync, statSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { IndexBuilder } from './segment-index/index-builder.ts'
import { readIndex, writeIndex } from './segment-index/index-file.ts'
import type { SegmentIndex } from './segment-index/segment-index.ts'
import { SegmentIndexer } from './segment-index/segment-indexer.ts'
import type { WindowPart } from './window-part.ts'
import { WindowReader } from './window-reader.ts'

/** Parties of one capture file; a segment of the ring has fewer. */
export const MAX_KEYS = 262_144
const EVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/**
 * The packets of some parties out of capture files that the ring wrote, as pcapng. The index beside a file says where
 * they are; the first who asks makes it, and reads the whole file for that.
 */
export class ChosenPackets implements AsyncIterable<Uint8Array> {
  /** How much there is to be read for the packets. */
  readonly chosenBytes: number
  readonly #reader: WindowReader
  readonly #before: number

  private constructor(files: readonly IndexedFile[], indexing: number, parties: Parties) {
    const indexes = new Map<WindowPart, SegmentIndex | undefined>()
    this.#before = indexing
    this.chosenBytes = files.reduce((sum, file) => sum + bytesFor(file, parties), 0)
    for (const { path, bytes, index } of files) {
      const end = index?.regions.reduce((latest, { last }) => Math.max(latest, last), 0) ?? 0
      const part = {
        fd: openSync(path, 'r'),
        path,
        start: 0,
        end,
        bytes,
        packets: 0,
        drops: 0,
        diskDrops: 0,
        open: false,
      }
      indexes.set(part, index)
    }
    this.#reader = new WindowReader([...indexes.keys()], EVER.from, EVER.to, null, parties, {
      indexOf: (part) => indexes.get(part),
    })
  }

  /**
   * Undefined if the first file is not such a one: the caller has to read all packets. Another
   * that has no index is searched from its beginning. Throws what the file system throws, and where it is not wanted any more.
   */
  static async open(
    paths: readonly string[],
    parties: Parties,
    signal?: AbortSignal,
  ): Promise<ChosenPackets | undefined> {
    const files: IndexedFile[] = []
    let indexing = 0
    for (const path of paths) {
      const bytes = statSync(path).size
      let index = readIndex(path, bytes)
      if (index === undefined) {
        index = await makeIndex(path, bytes, signal)
        indexing += bytes
      }
      if (index === undefined && files.length === 0) return undefined
      files.push({ path, bytes, index })
    }
    return new ChosenPackets(files, indexing, parties)
  }

  /** Bytes that had to be read so far, also to make the index. */
  get readBytes(): number {
    return this.#before + this.#reader.readBytes
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#reader[Symbol.asyncIterator]()
  }

  /** For one that is never read. */
  close(): Promise<void> {
    return this.#reader.close()
  }
}

type Parties = readonly (readonly number[])[]

interface IndexedFile {
  readonly path: string
  readonly bytes: number
  readonly index: SegmentIndex | undefined
}

function bytesFor({ bytes, index }: IndexedFile, anyOf: Parties): number {
  return index?.select({ ...EVER, anyOf }).reduce((sum, { at, end }) => sum + end - at, 0) ?? bytes
}

async function makeIndex(
  path: string,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<SegmentIndex | undefined> {
  const indexer = new SegmentIndexer(path, bytes, new IndexBuilder(MAX_KEYS))
  try {
    // Others of this thread get their turn in between.
    while (!indexer.step()) await turn(undefined, { signal })
  } finally {
    indexer.close()
  }
  const index = indexer.finish()
  try {
    if (index) writeIndex(path, bytes, index)
  } catch {
    // The next who asks makes it again.
  }
  return index
}

/** Makes the index of a file if it has none; one that the ring did not write gets none. */
export async function ensureIndex(path: string, bytes: number, signal: AbortSignal): Promise<void> {
  if (bytes > 0 && readIndex(path, bytes) === undefined) await makeIndex(path, bytes, signal)
}
