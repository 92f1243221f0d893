import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Loss } from '@tapdeck/wire'
import type { IndexOptions } from '../call-index.ts'
import type { OpenFlows } from '../open-flows.ts'
import { BlockCache } from '../payload/block-cache.ts'
import { Chunk, chunkNumbers, folderOf } from './chunk.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { Counts } from './counts.ts'
import type { Engine } from './engine.ts'
import { isDamage } from './is-damage.ts'

const MIB = 1024 * 1024
/** Bytes of blocks that are kept uncompressed for reading. */
const BLOCK_CACHE = 16 * MIB
/** A chunk's rows wait in memory and in the log until it is finished, some 150 bytes each. */
const BYTES_A_ROW = 150
const MAX_NAMES = 65_536

/** All chunks of an index, oldest first: which is written to, when the next begins, which must go. */
export class Chunks {
  readonly #folder: string
  readonly #options: IndexOptions
  readonly #engine: Engine
  readonly #cache = new BlockCache(BLOCK_CACHE)
  readonly #most: { readonly bytes: number; readonly rows: number }
  /** What could not be written. */
  readonly loss: Loss = {}
  /** Time of the newest call in a chunk that was dropped, in Unix milliseconds. */
  deletedUntil = 0
  #chunks: Chunk[] = []
  #sealing: Promise<void> = Promise.resolve()

  constructor(folder: string, options: IndexOptions, engine: Engine, rows?: number) {
    this.#folder = folder
    this.#options = options
    this.#engine = engine
    this.#most = {
      bytes: options.maxBytes === 0 ? 1024 * MIB : Math.max(options.maxBytes / 8, MIB),
      rows: rows ?? Math.min(Math.max(options.memory / 4 / BYTES_A_ROW, 122_880), 1_048_576),
    }
  }

  /** Opens what is there. A chunk that cannot be opened is set aside under another name, never thrown away. */
  async open(): Promise<void> {
    const mode = this.#options.readOnly ? 'read' : 'write'
    for (const number of chunkNumbers(readdirSync(this.#folder))) {
      try {
        this.#chunks.push(await Chunk.open(this.#folder, number, this.#engine, this.#cache, mode))
      } catch (error) {
        if (mode === 'read' || !isDamage(error)) throw error
        setAside(this.#folder, folderOf(number))
      }
    }
  }

  /** A writer that goes on with the last chunk where that has room. */
  async write(open: OpenFlows): Promise<ChunkWriter> {
    for (const chunk of this.#chunks.slice(0, -1)) if (!chunk.sealed) await chunk.seal()
    const last = this.#chunks.at(-1)
    if (last === undefined || this.#full(last)) {
      if (last && !last.sealed) await last.seal()
      return this.#begin(open)
    }
    if (last.sealed) await last.unseal()
    return ChunkWriter.open(last, this.#engine, open, this.loss)
  }

  /** Where the writer's chunk is full: a writer of the next one, already in place. The old one is finished aside. */
  async next(writer: ChunkWriter, open: OpenFlows): Promise<ChunkWriter | undefined> {
    const names = writer.words.size + writer.endpoints.size
    if (!this.#full(writer.chunk) && names < MAX_NAMES) return undefined
    const next = await this.#begin(open)
    // From here to the end nothing gives way, so that no call falls between the two.
    try {
      writer.close()
    } catch (error) {
      next.abandon()
      throw error
    }
    open.enterAll(next.endpoints, next.chunk.number)
    this.#sealing = this.#sealing.then(() => writer.chunk.seal()).catch(() => undefined)
    return next
  }

  /** Drops the oldest chunks while there is more than may be. True if it dropped any. */
  async retain(): Promise<boolean> {
    const { maxBytes } = this.#options
    if (maxBytes === 0) return false
    const before = this.#chunks[0]
    while (this.#chunks.length > 1 && this.bytes > maxBytes) {
      await this.#sealing
      const [oldest] = this.#chunks.splice(0, 1)
      if (oldest.counts.calls > 0)
        this.deletedUntil = Math.max(this.deletedUntil, Math.ceil(oldest.counts.newest / 1000))
      await oldest.drop()
    }
    return this.#chunks[0] !== before
  }

  /** Oldest first. */
  get all(): readonly Chunk[] {
    return this.#chunks
  }

  seal(chunk: Chunk): Promise<void> {
    this.#sealing = this.#sealing.then(() => chunk.seal(true))
    return this.#sealing
  }

  get bytes(): number {
    return this.#chunks.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Of all chunks. A flow counts where it began; those that began before the oldest chunk count there. */
  totals(): Counts {
    const totals = new Counts()
    for (const { counts } of this.#chunks) totals.join(counts)
    totals.flows += this.#chunks.at(0)?.counts.carried ?? 0
    return totals
  }

  /** The chunks as they are now, kept until each is released. */
  hold(): readonly Chunk[] {
    return this.#chunks.map((chunk) => chunk.hold())
  }

  async close(): Promise<void> {
    await this.#sealing
    for (const chunk of this.#chunks) await chunk.detach()
  }

  /** Lets go of all files, as they are. */
  async abandon(): Promise<void> {
    await this.#sealing
    for (const { segment } of this.#chunks) segment.close()
  }

  async #begin(open: OpenFlows): Promise<ChunkWriter> {
    const number = (this.#chunks.at(-1)?.number ?? 0) + 1
    const chunk = await Chunk.create(this.#folder, number, this.#engine, this.#cache)
    const writer = await ChunkWriter.open(chunk, this.#engine, open, this.loss)
    this.#chunks.push(chunk)
    return writer
  }

  #full({ counts, bytes }: Chunk): boolean {
    return counts.calls >= this.#most.rows || bytes >= this.#most.bytes
  }
}

/** A chunk that cannot be read is kept under another name; one without payloads is what a crash left of a beginning. */
function setAside(root: string, name: string): void {
  const path = join(root, name)
  const aside = join(root, `damaged-${name}`)
  rmSync(aside, { recursive: true, force: true })
  if (existsSync(join(path, 'payload.seg'))) renameSync(path, aside)
  else rmSync(path, { recursive: true, force: true })
}
