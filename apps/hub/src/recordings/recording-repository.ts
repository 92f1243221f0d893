import { type FileHandle, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OutOfSpace, openCaptureFile } from '@tapdeck/recording'
import { writeFileWhole } from '../write-file-whole.ts'
import { type RecordingNode, type RecordingRecord, readRecording } from './recording-record.ts'

const RECORD = 'recording.json'
const DISK_RESERVE = 64 * 1024 * 1024

/** Recordings on disk: a folder each, with the record and, until they become a snapshot, the slices of each node. */
export class RecordingRepository {
  readonly #folder: string
  #saving: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** All there are. Slices that their record does not know of were being written when the process ended. */
  async load(): Promise<RecordingRecord[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const found: RecordingRecord[] = []
    for (const name of await readdir(this.#folder)) {
      const record = await readRecording(join(this.#folder, name, RECORD))
      if (record?.name !== name) continue
      const known = new Set(record.nodes.flatMap((node, at) => names(node, at)))
      for (const file of await readdir(join(this.#folder, name)))
        if (file !== RECORD && !known.has(file)) await rm(join(this.#folder, name, file), { force: true })
      found.push(record)
    }
    return found
  }

  /** One after the other, so that the newest state is the one that stays. */
  save(record: RecordingRecord): Promise<void> {
    const saved = this.#saving.catch(() => {}).then(() => this.#write(record))
    this.#saving = saved
    return saved
  }

  /** Throws `OutOfSpace` where the disk is nearly full: that would stop the ring of this machine as well. */
  async requireDiskSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder)
    const free = bavail * bsize
    if (free < DISK_RESERVE)
      throw new OutOfSpace(`the disk has ${free} bytes free, of which ${DISK_RESERVE} are reserved`, 0, 0)
  }

  /** Opens the next slice of a node under a temporary name. */
  openSlice(record: RecordingRecord, at: number): Promise<FileHandle> {
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
    await rm(join(this.#folder, name), { recursive: true, force: true })
  }

  async #write(record: RecordingRecord): Promise<void> {
    const folder = join(this.#folder, record.name)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFileWhole(join(folder, RECORD), JSON.stringify(record, null, 2))
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
