import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ObjectStore } from '@tapdeck/objects'
import { SnapshotStore } from '@tapdeck/recording'

const DAY_MS = 24 * 3_600_000

/** What a bucket has, and what it should have. */
export class BucketContents {
  readonly #objects: ObjectStore

  constructor(objects: ObjectStore) {
    this.#objects = objects
  }

  async keys(): Promise<string[]> {
    const found: string[] = []
    for await (const { key } of this.#objects.list('')) found.push(key)
    return found.sort()
  }

  async bytes(): Promise<number> {
    let sum = 0
    for await (const { size } of this.#objects.list('')) sum += size
    return sum
  }

  /** Objects and uploads that nothing names. */
  async orphans(): Promise<string[]> {
    const [keys, uploads] = [await this.keys(), await this.#objects.uploads('')]
    const named = new Set<string>()
    for (const key of keys) for (const one of await this.#namedBy(key)) named.add(one)
    return [
      ...keys.filter((key) => !named.has(key)),
      ...uploads.map(({ key, id }) => `${key} (upload ${id})`),
    ]
  }

  /** The orphan sweep of a hub of this bucket that has nothing of its own, twice, as if it were some days later. Returns how much it removed. */
  async sweep(days: number): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'tapdeck-sweep-'))
    try {
      const { archive } = await SnapshotStore.open(folder, { maxBytes: 1 << 20, objects: this.#objects })
      const later = Date.now() + days * DAY_MS
      return (await archive!.sweep(later)) + (await archive!.sweep(later))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  async #namedBy(key: string): Promise<string[]> {
    if (key.startsWith('manifests/')) {
      const { archive } = await this.#json(key)
      const { id, files, extras = [] } = archive
      const names = [...files.map(({ file }: File) => file), ...extras.map(({ file }: File) => file)]
      const beside = files.flatMap(({ file, index }: File) => [
        `${file}.sums`,
        ...(index ? [index.file] : []),
      ])
      return [key, ...[...names, ...beside].map((file) => `data/${id}/${file}`)]
    }
    const [, id] = /^dissections\/([^/]+)\//.exec(key) ?? []
    if (id === undefined) return []
    const { run, files } = await this.#json(key)
    return [key, ...files.map(({ file }: File) => `data/${id}/dissections/${run}/${file}`)]
  }

  async #json(key: string) {
    return JSON.parse(String(Buffer.from((await this.#objects.get(key, 64 << 20)) ?? '{}')))
  }
}

interface File {
  readonly file: string
  readonly index?: { readonly file: string }
}
