import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ObjectStore, StorageProblem } from '@tapdeck/objects'
import { hashOf } from '../snapshot-writer.ts'
import { type ArchivedExtra, DISSECTIONS, dataKey, dissectionKey, runFile } from './archived.ts'
import { fetchFile } from './archived-copies.ts'
import { uploadFile } from './upload-file.ts'

/** The state of a dissection in the bucket. `record` is what the hub stores of a dissection. */
export interface BucketDissection {
  /** Its data is below this id; each job that begins it has another one. */
  readonly run: string
  /** Counts the writes of a job at work: one that does not change belongs to a job that is gone. */
  readonly beat: number
  /** What was made unreadable, as a checksum of the rules: a hub uses only what was made with its own. */
  readonly rules: string
  /** Of the hashes of credentials, from the hub that asks for it; gone when the job has ended. */
  readonly credential_key?: string | undefined
  readonly record: unknown
  /** The databases; empty until it is completed. */
  readonly files: readonly ArchivedExtra[]
}

export interface FoundDissection extends BucketDissection {
  /** The id of its snapshot. */
  readonly id: string
  readonly name: string
  readonly version: string
}

const FORMAT = 1
const MAX_RECORD = 4 * 1024 * 1024
/** Of all states together, which are kept in memory: others may write to a bucket. */
const MAX_STATES = 10_000
const MAX_STATE_BYTES = 64 * 1024 * 1024
const KEY = /^dissections\/([0-9a-f-]{36})\/([a-z0-9][a-z0-9._-]{0,63})\.json$/
const CREDENTIAL_KEY = /^[0-9a-f]{64}$/
const UUID = /^[0-9a-f-]{36}$/
/** `<number of the node>/<file of the index>`. */
const INDEX_FILE = /^\d{1,5}(\/(?!\.)[\w.~-]{1,100}){1,3}$/

interface ReadState {
  readonly found: FoundDissection | undefined
  /** It is no state that this version understands. */
  readonly isUnreadable?: true
}

/** Dissections of snapshots in a bucket. A state is written only over the one that the writer has seen. */
export class BucketDissections {
  /** States that the last listing had beyond the limits. They are not read. */
  ignored = 0
  readonly #objects: ObjectStore
  readonly #maxStates: number
  readonly #known = new Map<string, ReadState & { readonly at: string }>()

  constructor(objects: ObjectStore, maxStates = MAX_STATES) {
    this.#objects = objects
    this.#maxStates = maxStates
  }

  /** Undefined where there is none. Throws where it cannot be understood. */
  async read(id: string, name: string): Promise<FoundDissection | undefined> {
    const key = dissectionKey(id, name)
    const stored = await this.#objects.getVersion(key, MAX_RECORD)
    if (stored === undefined) return undefined
    const found = parse(stored.bytes)
    if (found === undefined)
      throw new StorageProblem('damaged', `${key} is no dissection that this version can read`)
    return { ...found, id, name, version: stored.version }
  }

  /** Returns the version. Throws `StorageProblem` of the kind `exists` or `missing` if another one wrote since `version`. */
  async write(
    id: string,
    name: string,
    state: BucketDissection,
    version: string | undefined,
  ): Promise<string> {
    const bytes = Buffer.from(JSON.stringify({ format: FORMAT, ...state }))
    const condition = version === undefined ? { onlyNew: true } : { replaces: version }
    return this.#objects.putAfterLook(dissectionKey(id, name), bytes, condition)
  }

  /** All that can be understood. Only those that changed since the last time are read. */
  async list(): Promise<FoundDissection[]> {
    const keys = new Set<string>()
    let [bytes, ignored] = [0, 0]
    for await (const { key, size, modified } of this.#objects.list(DISSECTIONS)) {
      const [, id, name] = KEY.exec(key) ?? []
      if (id === undefined || name === undefined) continue
      if (keys.size >= this.#maxStates || bytes + size > MAX_STATE_BYTES) {
        ignored++
        continue
      }
      keys.add(key)
      bytes += size
      const at = `${modified}/${size}`
      const known = this.#known.get(key)
      // Two writes within the resolution of the listing look the same: one at work is read again.
      if (known?.at === at && known.found?.files.length !== 0) continue
      this.#known.set(key, { at, ...(await this.#tryRead(id, name)) })
    }
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key)
    this.ignored = ignored
    return [...this.#known.values()].flatMap(({ found }) => found ?? [])
  }

  /** Whether the last listing had states that cannot be understood or were not read: what belongs to them is not known. */
  get hasUnreadable(): boolean {
    return this.ignored > 0 || [...this.#known.values()].some(({ isUnreadable }) => isUnreadable)
  }

  /** One object that is none of ours must not hide the others. */
  async #tryRead(id: string, name: string): Promise<ReadState> {
    try {
      return { found: await this.read(id, name) }
    } catch (error) {
      const isUnreadable =
        error instanceof StorageProblem && (error.kind === 'damaged' || error.kind === 'too_large')
      if (!isUnreadable) throw error
      return { found: undefined, isUnreadable }
    }
  }

  /** The state first, so that no hub reads what is being deleted. */
  async remove({ id, name, run }: Pick<FoundDissection, 'id' | 'name' | 'run'>): Promise<void> {
    await this.#objects.remove([dissectionKey(id, name)])
    await this.removeRun(id, run)
  }

  /** What a job left that ended without a result. */
  async removeRun(id: string, run: string): Promise<void> {
    const prefix = dataKey(id, runFile(run, ''))
    for (const upload of await this.#objects.uploads(prefix)) await this.#objects.abortUpload(upload)
    const keys: string[] = []
    for await (const { key } of this.#objects.list(prefix)) keys.push(key)
    await this.#objects.remove(keys)
  }

  /** The states of all dissections of a snapshot that is gone. Their data goes with its own. */
  async forgetSnapshot(id: string): Promise<void> {
    const keys: string[] = []
    for await (const { key } of this.#objects.list(`${DISSECTIONS}${id}/`)) keys.push(key)
    await this.#objects.remove(keys)
  }

  /** Brings all files below a folder into the bucket. */
  async upload(id: string, run: string, folder: string, signal: AbortSignal): Promise<ArchivedExtra[]> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    const uploaded: ArchivedExtra[] = []
    for (const file of files.sort()) {
      const path = join(folder, file)
      if (!INDEX_FILE.test(file)) throw new Error(`${path} is no file of an index`)
      const [{ size }, sha256] = [await stat(path), await hashOf(path, signal)]
      await uploadFile({
        ...{ objects: this.#objects, path, size, sha256, signal },
        key: dataKey(id, runFile(run, file)),
        resume: undefined,
        begun: async () => {},
      })
      uploaded.push({ file, size_bytes: size, sha256 })
    }
    return uploaded
  }

  /** Fetches the files of a completed dissection; each is compared with its checksum. */
  async fetch(
    { id, run, files }: Pick<FoundDissection, 'id' | 'run' | 'files'>,
    folder: string,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const extra of files) {
      const path = join(folder, extra.file)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await fetchFile(this.#objects, dataKey(id, runFile(run, extra.file)), extra, path, signal)
    }
  }
}

export function newRun(): string {
  return randomUUID()
}

/** Others may write to a bucket: nothing of it is trusted. */
function parse(bytes: Uint8Array): BucketDissection | undefined {
  try {
    const { format, run, beat, rules, credential_key, record, files } = JSON.parse(
      Buffer.from(bytes).toString('utf8'),
    )
    const isWhole =
      format === FORMAT &&
      UUID.test(run) &&
      Number.isSafeInteger(beat) &&
      typeof rules === 'string' &&
      (credential_key === undefined || CREDENTIAL_KEY.test(credential_key)) &&
      Array.isArray(files) &&
      files.every(
        ({ file, size_bytes, sha256 }) =>
          INDEX_FILE.test(file) &&
          Number.isSafeInteger(size_bytes) &&
          size_bytes >= 0 &&
          typeof sha256 === 'string',
      )
    return isWhole
      ? { run, beat, rules, record, files, ...(credential_key !== undefined && { credential_key }) }
      : undefined
  } catch {
    return undefined
  }
}
