import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sync, writeDurably } from '@tapdeck/recording'
import { requireDocumentSize } from './require-document-size.ts'
import { MAX_DOCUMENT_BYTES, requireDocumentName, type StateStore } from './state-store.ts'

/** Next to the packets of the recording. */
const RECORDING = 'recording.json'

/** State documents as files of a data folder, which the lock of the folder protects from a second hub. */
export class FolderState implements StateStore {
  readonly address: string
  readonly holder = ''
  readonly #folder: string
  readonly #places: Readonly<Record<string, string>>
  readonly #writing = new Map<string, Promise<void>>()

  /** `places`: files of documents that are elsewhere. */
  constructor(folder: string, places: Readonly<Record<string, string>> = {}) {
    this.address = folder
    this.#folder = folder
    this.#places = places
  }

  async read(name: string): Promise<string | undefined> {
    const path = this.#path(name)
    try {
      const { size } = await stat(path)
      if (size > MAX_DOCUMENT_BYTES)
        throw new RangeError(`it has ${size} bytes; the limit is ${MAX_DOCUMENT_BYTES}`)
      return await readFile(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async names(prefix: string): Promise<string[]> {
    const at = prefix.indexOf('/') + 1
    const group = prefix.slice(0, at)
    const found: string[] = []
    for (const entry of await readdir(join(this.#folder, group)).catch(() => [])) {
      const name = group + (group === 'recordings/' ? entry : entry.replace(/\.json$/, ''))
      if (!name.startsWith(prefix)) continue
      const stats = await this.#stat(name)
      if (stats?.isFile()) found.push(name)
    }
    return found.sort()
  }

  async write(name: string, text: string): Promise<void> {
    requireDocumentSize(name, text)
    const path = this.#path(name)
    await this.#inOrder(name, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeDurably(path, text)
    })
  }

  async remove(name: string): Promise<void> {
    const path = this.#path(name)
    await this.#inOrder(name, async () => {
      if ((await this.#stat(name)) === undefined) return
      await rm(path, { force: true })
      await sync(dirname(path))
    })
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#writing.values())
  }

  async #inOrder(name: string, act: () => Promise<void>): Promise<void> {
    const done = (this.#writing.get(name) ?? Promise.resolve()).catch(() => {}).then(act)
    this.#writing.set(name, done)
    await done.finally(() => {
      if (this.#writing.get(name) === done) this.#writing.delete(name)
    })
  }

  #path(name: string): string {
    requireDocumentName(name)
    const place = this.#places[name]
    if (place !== undefined) return place
    return name.startsWith('recordings/')
      ? join(this.#folder, name, RECORDING)
      : join(this.#folder, `${name}.json`)
  }

  async #stat(name: string) {
    try {
      return await stat(this.#path(name))
    } catch {
      return undefined
    }
  }
}
