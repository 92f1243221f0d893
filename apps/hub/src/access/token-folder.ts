import { readdirSync, readFileSync, statSync } from 'node:fs'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiToken, apiToken, tokenFolder } from '@tapdeck/api/credentials'
import type { Log } from '../log.ts'
import type { TokenRecords } from './token-records.ts'

interface TokenFile {
  /** Changes when the file is replaced or written to. */
  readonly state: string
  /** Missing where the file is no token. */
  readonly token: ApiToken | undefined
}

/**
 * The API tokens of the data folder. The command line makes and deletes their files; a look at the folder's time
 * before each use makes a revoked token worthless at once, without a notification.
 */
export class TokenFolder implements TokenRecords {
  readonly #folder: string
  readonly #log: Log
  readonly #most: number
  /** Each file as it was read, by its name: of thousands, one change reads one. */
  #files: ReadonlyMap<string, TokenFile> = new Map()
  #seen = ''
  #lookedAt = Number.NEGATIVE_INFINITY

  private constructor(folder: string, log: Log, most: number) {
    this.#folder = folder
    this.#log = log
    this.#most = most
  }

  static async open(dataFolder: string, log: Log, most: number): Promise<TokenFolder> {
    const folder = join(dataFolder, tokenFolder)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new TokenFolder(folder, log, most)
  }

  /** On a disk error there are none: every token is rejected. */
  look(unlessWithinMs: number): readonly ApiToken[] | undefined {
    const at = performance.now()
    if (at - this.#lookedAt < unlessWithinMs) return undefined
    this.#lookedAt = at
    const state = stateOf(this.#folder)
    if (state === this.#seen) return undefined
    const tokens = state === 'gone' ? [] : this.#read()
    this.#seen = state
    return tokens
  }

  async add(token: ApiToken): Promise<void> {
    // It gets its name only when it is complete, so that no reader sees a part of it.
    const draft = join(this.#folder, `.${token.id}`)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, `${JSON.stringify(token)}\n`, { mode: 0o600, flag: 'wx' })
    await link(draft, this.#file(token.id)).finally(() => rm(draft, { force: true }))
    // Where the times of the disk are coarse, two changes may have the same one.
    this.#seen = ''
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true })
    this.#seen = ''
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  #read(): ApiToken[] {
    const names = readdirSync(this.#folder).filter((name) => /^[0-9a-f]{12}\.json$/.test(name))
    if (names.length > this.#most)
      this.#log.error({ count: names.length, most: this.#most }, 'too many API tokens; ignoring the rest')
    this.#files = new Map(names.slice(0, this.#most).map((name) => [name, this.#readFile(name)]))
    return [...this.#files.values()].flatMap(({ token }) => token ?? [])
  }

  #readFile(name: string): TokenFile {
    const path = join(this.#folder, name)
    try {
      const state = stateOf(path)
      const known = this.#files.get(name)
      if (known?.state === state) return known
      return { state, token: apiToken.parse(JSON.parse(readFileSync(path, 'utf8'))) }
    } catch {
      this.#log.warn({ file: name }, 'ignoring a file that is not an API token')
      return { state: '', token: undefined }
    }
  }
}

function stateOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, ino } = statSync(path, { bigint: true })
    return `${mtimeNs} ${ctimeNs} ${ino}`
  } catch {
    return 'gone'
  }
}
