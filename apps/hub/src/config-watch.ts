import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type BootSources, type ResolvedConfig, resolveConfig } from '@tapdeck/config'
import type { Log } from './log.ts'

/** Polled, because editors replace files, and a mounted ConfigMap is a link that moves. */
const LOOK_EVERY_MS = 500

/** Reads the values files again when they change, and hands the result on. What is broken changes nothing. */
export class ConfigWatch {
  readonly #sources: BootSources
  readonly #use: (changed: ResolvedConfig) => Promise<void>
  readonly #log: Log
  readonly #watched = new Set<string>()
  #last: Promise<void> = Promise.resolve()

  constructor(sources: BootSources, use: (changed: ResolvedConfig) => Promise<void>, log: Log) {
    this.#sources = sources
    this.#use = use
    this.#log = log
    this.watch(sources.files)
  }

  /** More files whose change matters. */
  watch(files: readonly string[]): void {
    for (const file of files) {
      if (file === '' || this.#watched.has(file)) continue
      this.#watched.add(file)
      watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, (now, before) => {
        if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino)
          void this.reload()
      })
    }
  }

  /** One after the other, so that the newest state of the files is the one that stays. */
  reload(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload())
    return this.#last
  }

  close(): void {
    for (const file of this.#watched) unwatchFile(file)
  }

  async #reload(): Promise<void> {
    try {
      const files = await Promise.all(
        this.#sources.files.map(async (name) => ({ name, text: await readFile(name, 'utf8') })),
      )
      await this.#use(resolveConfig({ ...this.#sources, files }))
      this.#log.info('configuration reloaded')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.error(`invalid configuration, keeping the previous one: ${reason}`)
    }
  }
}
