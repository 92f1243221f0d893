import { createHash, type Hash } from 'node:crypto'
import { chmod, type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DiskBudget } from './disk-budget.ts'
import type { Drops } from './drops.ts'
import { sync } from './durable-file.ts'
import { isDiskFull, OutOfSpace } from './out-of-space.ts'
import { readChunks } from './read-chunks.ts'
import type { CoveredTime } from './snapshot.ts'

/** What is known of a node once its packets are written. */
export interface NodeResult {
  readonly size_bytes: number
  readonly packet_count: number
  readonly dropped_packets: number
  readonly drops?: Drops
  readonly covered?: CoveredTime
}

/** What is known of a node beside its size, out of an answer that may have more. */
export function countsOf({
  packet_count,
  dropped_packets,
  drops,
  covered,
}: Omit<NodeResult, 'size_bytes'>): Omit<NodeResult, 'size_bytes'> {
  return { packet_count, dropped_packets, ...(drops && { drops }), ...(covered && { covered }) }
}

interface Ending {
  /** `modified` is when the file was last written, in milliseconds. */
  finished(sha256: string, modified: number, result: NodeResult): Promise<void>
  aborted(reason: string): Promise<void>
}

/** One node's file while it is made. It appears under its own name, read-only, when it is whole. */
export class SnapshotWriter {
  readonly #path: string
  readonly #file: FileHandle
  readonly #room: DiskBudget
  readonly #ending: Ending
  #hash: Hash = createHash('sha256')
  #bytes = 0
  #open = true

  private constructor(path: string, file: FileHandle, room: DiskBudget, ending: Ending) {
    this.#path = path
    this.#file = file
    this.#room = room
    this.#ending = ending
  }

  static async open(path: string, room: DiskBudget, ending: Ending): Promise<SnapshotWriter> {
    return new SnapshotWriter(path, await open(`${path}.part`, 'w', 0o600), room, ending)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** What is written so far: no write may be under way. */
  checkpoint(): { readonly offset: number; readonly sha256: string } {
    return { offset: this.#bytes, sha256: this.#hash.copy().digest('hex') }
  }

  /** Throws away what was written; the next write is the first. */
  async restart(): Promise<void> {
    await this.#file.truncate(0)
    this.#room.give(this.#bytes)
    this.#bytes = 0
    this.#hash = createHash('sha256')
  }

  /** Throws `OutOfSpace` where the budget or the disk is full. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#room.take(chunk.length)
    this.#bytes += chunk.length
    const written = this.#put(chunk, this.#bytes - chunk.length)
    // While another thread writes it.
    this.#hash.update(chunk)
    await written
  }

  async #put(chunk: Uint8Array, start: number): Promise<void> {
    let at = 0
    while (at < chunk.length) {
      try {
        const position = start + at
        at += (await this.#file.write(chunk, at, chunk.length - at, position)).bytesWritten
      } catch (error) {
        if (isDiskFull(error)) throw new OutOfSpace('the disk is full', chunk.length - at, 0)
        throw error
      }
    }
  }

  async finish(counts: Omit<NodeResult, 'size_bytes'>): Promise<NodeResult> {
    const result = { size_bytes: this.#bytes, ...countsOf(counts) }
    await this.#file.sync()
    this.#open = false
    await this.#file.close()
    await chmod(`${this.#path}.part`, 0o400)
    await rename(`${this.#path}.part`, this.#path)
    await sync(dirname(this.#path))
    const { mtimeMs } = await stat(this.#path)
    await this.#ending.finished(this.#hash.digest('hex'), mtimeMs, result)
    return result
  }

  /** Throws away what was written and marks the node as failed. */
  async abort(reason: string): Promise<void> {
    if (this.#open) {
      this.#open = false
      await this.#file.close().catch(() => {})
    }
    for (const path of [`${this.#path}.part`, this.#path]) await rm(path, { force: true }).catch(() => {})
    this.#room.give(this.#bytes)
    this.#bytes = 0
    await this.#ending.aborted(reason)
  }
}

export async function hashOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of readChunks(path, 1 << 20)) {
    signal?.throwIfAborted()
    hash.update(chunk)
  }
  return hash.digest('hex')
}
