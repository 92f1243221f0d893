import { openSync, statSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { IndexBuilder } from './segment-index/index-builder.ts'
import { readIndex, writeIndex } from './segment-index/index-file.ts'
import type { SegmentIndex } from './segment-index/segment-index.ts'
import { SegmentIndexer } from './segment-index/segment-indexer.ts'
import { WindowReader } from './window-reader.ts'

/** Parties of one capture file; a segment of the ring has fewer. */
const MOST_KEYS = 262_144

/**
 * The packets of some parties out of a capture file that the ring wrote, as pcapng. The index beside the file says where
 * they are; the first who asks makes it, and reads the whole file for that.
 */
export class ChosenPackets implements AsyncIterable<Uint8Array> {
  /** How much there is to be read for the packets. */
  readonly chosenBytes: number
  readonly #reader: WindowReader
  readonly #before: number

  private constructor(path: string, bytes: number, index: SegmentIndex, indexing: number, parties: Parties) {
    const everywhen = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
    const regions = index.select({ ...everywhen, anyOf: parties })
    const end = index.regions.reduce((latest, { last }) => Math.max(latest, last), 0)
    const part = { fd: openSync(path, 'r'), path, start: 0, end, bytes, packets: 0, drops: 0, open: false }
    this.#before = indexing
    this.chosenBytes = regions.reduce((sum, region) => sum + region.end - region.at, 0)
    this.#reader = new WindowReader([part], everywhen.from, everywhen.to, null, parties, {
      indexOf: () => index,
    })
  }

  /** Undefined where the file is not such a one: whoever wants the packets reads it as a whole. Throws what the file system throws. */
  static async open(path: string, parties: Parties): Promise<ChosenPackets | undefined> {
    const bytes = statSync(path).size
    const known = readIndex(path, bytes)
    const index = known ?? (await makeIndex(path, bytes))
    return index && new ChosenPackets(path, bytes, index, known ? 0 : bytes, parties)
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

async function makeIndex(path: string, bytes: number): Promise<SegmentIndex | undefined> {
  const indexer = new SegmentIndexer(path, bytes, new IndexBuilder(MOST_KEYS))
  // Others of this thread get their turn in between.
  while (!indexer.step()) await turn()
  const index = indexer.finish()
  try {
    if (index) writeIndex(path, bytes, index)
  } catch {
    // The next who asks makes it again.
  }
  return index
}
