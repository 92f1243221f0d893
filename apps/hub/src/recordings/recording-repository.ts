import { type FileHandle, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OutOfSpace, openCaptureFile } from '@tapdeck/recording'
import type { StateStore } from '../state/state-store.ts'
import { heldBy, parseRecording, type RecordingNode, type RecordingRecord } from './recording-record.ts'

const DOCUMENTS = 'recordings/'
/** The record, where the state is in the same folder. */
const RECORD = 'recording.json'
const DISK_RESERVE = 64 * 1024 * 1024

/** Recordings: their records in the state of the hub and, until they become a snapshot, slices of each node in a folder. */
export class RecordingRepository {
  readonly #folder: string
  readonly #state: StateStore

  constructor(folder: string, state: StateStore) {
    this.#folder = folder
    this.#state = state
  }

  get holder(): string {
    return this.#state.holder
  }

  /** All there are. Slices that their record does not know of were being written when the process ended. */
  async load(unusable: (name: string, reason: string) => void): Promise<RecordingRecord[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const found: RecordingRecord[] = []
    for (const document of await this.#state.names(DOCUMENTS)) {
      const name = document.slice(DOCUMENTS.length)
      const record = await this.#read(document, name, unusable)
      if (record === undefined) continue
      const known = new Set(record.nodes.flatMap((node, at) => names(node, at)))
      for (const file of await readdir(join(this.#folder, name)).catch(() => []))
        if (file !== RECORD && !known.has(file)) await rm(join(this.#folder, name, file), { force: true })
      found.push(record)
    }
    return found
  }

  /** Of several, the last one stays. */
  save(record: RecordingRecord): Promise<void> {
    return this.#state.write(DOCUMENTS + record.name, JSON.stringify(record, null, 2))
  }

  /** Throws `OutOfSpace` where the disk is nearly full: that would stop the ring of this machine as well. */
  async requireDiskSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder)
    const free = bavail * bsize
    if (free < DISK_RESERVE)
      throw new OutOfSpace(`the disk has ${free} bytes free, of which ${DISK_RESERVE} are reserved`, 0, 0)
  }

  /** Opens the next slice of a node under a temporary name. */
  async openSlice(record: RecordingRecord, at: number): Promise<FileHandle> {
    await mkdir(join(this.#folder, record.name), { recursive: true, mode: 0o700 })
    return open(this.#slice(record, at, 'part'), 'w', 0o600)
  }

  /** The slice is whole: it gets its name. The record that counts it is to be saved afterwards. */
  async finishSlice(record: RecordingRecord, at: number): Promise<void> {
    await rename(this.#slice(record, at, 'part'), this.#slice(record, at, record.nodes[at]!.slices))
  }

  async dropSlice(record: RecordingRecord, at: number): Promise<void> {
    await rm(this.#slice(record, at, 'part'), { force: true })
  }

  /** All slices of a node as one pcapng: a section follows the other. */
  async *read(record: RecordingRecord, at: number): AsyncGenerator<Uint8Array> {
    for (let slice = 0; slice < record.nodes[at]!.slices; slice++)
      yield* openCaptureFile(this.#slice(record, at, slice))
  }

  async removeSlices(record: RecordingRecord): Promise<void> {
    for (const [at, node] of record.nodes.entries())
      for (const file of names(node, at)) await rm(join(this.#folder, record.name, file), { force: true })
  }

  async remove({ name }: RecordingRecord): Promise<void> {
    await this.#state.remove(DOCUMENTS + name)
    await rm(join(this.#folder, name), { recursive: true, force: true })
  }

  async #read(document: string, name: string, unusable: (name: string, reason: string) => void) {
    try {
      const record = parseRecording((await this.#state.read(document)) ?? '')
      if (record?.name !== name) throw new Error('it is not the record of this recording')
      return heldBy(record, this.#state.holder)
    } catch (error) {
      unusable(name, (error as Error).message)
      return undefined
    }
  }

  #slice({ name }: RecordingRecord, at: number, slice: number | 'part'): string {
    return join(this.#folder, name, sliceName(at, slice))
  }
}

function sliceName(at: number, slice: number | 'part'): string {
  return slice === 'part' ? `${at}.part` : `${at}-${slice}.pcapng`
}

function names({ slices }: RecordingNode, at: number): string[] {
  return Array.from({ length: slices }, (_, slice) => sliceName(at, slice))
}
