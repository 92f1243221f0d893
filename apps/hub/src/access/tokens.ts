import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '@tapdeck/api'
import {
  type ApiToken,
  apiToken,
  lastUsedFile,
  mostTokens,
  newToken,
  sameDigest,
  tokenDigest,
  tokenFolder,
  tokenSecretBytes,
} from '@tapdeck/api/credentials'
import type { Log } from '../log.ts'

const NOTE_EVERY_MS = 10_000
const LOOK_AGAIN_MS = 50

type GivenToken = Pick<ApiToken, 'name' | 'role' | 'created_by'>

interface TokenFile {
  /** Changes when the file is replaced or written to. */
  readonly state: string
  /** Missing where the file is no token. */
  readonly token: ApiToken | undefined
}

interface NewToken {
  readonly record: ApiToken
  readonly token: string
}

/**
 * The API tokens of the data folder. The command line makes and deletes their files; a look at the folder's time
 * before each use makes a revoked token worthless at once, without a notification.
 */
export class Tokens {
  readonly #folder: string
  readonly #usedFile: string
  readonly #log: Log
  #byDigest: ReadonlyMap<string, ApiToken> = new Map()
  #byId: ReadonlyMap<string, ApiToken> = new Map()
  /** Each file as it was read, by its name: of thousands, one change reads one. */
  #files: ReadonlyMap<string, TokenFile> = new Map()
  #seen = ''
  #lookedAt = Number.NEGATIVE_INFINITY
  readonly #used = new Map<string, number>()
  #dirty = false
  #writing: Promise<void> = Promise.resolve()
  #creating: Promise<unknown> = Promise.resolve()
  readonly #most: number
  readonly #timer: NodeJS.Timeout

  private constructor(dataFolder: string, log: Log, most: number) {
    this.#most = most
    this.#folder = join(dataFolder, tokenFolder)
    this.#usedFile = join(dataFolder, lastUsedFile)
    this.#log = log
    this.#timer = setInterval(() => void this.#note(), NOTE_EVERY_MS).unref()
  }

  /** `most`: how many tokens there may be. */
  static async open(dataFolder: string, log: Log, most = mostTokens): Promise<Tokens> {
    const tokens = new Tokens(dataFolder, log, most)
    await mkdir(tokens.#folder, { recursive: true, mode: 0o700 })
    const known: unknown = await readFile(tokens.#usedFile, 'utf8')
      .then(JSON.parse)
      .catch(() => ({}))
    for (const [id, at] of Object.entries(known ?? {})) if (typeof at === 'number') tokens.#used.set(id, at)
    return tokens
  }

  /** The token that was given, where there is one and it has not expired. */
  find(given: string, now: number): ApiToken | undefined {
    this.#look()
    const digest = tokenDigest(given)
    const token = this.#byDigest.get(digest)
    if (!token || !sameDigest(token.digest, digest) || expired(token, now)) return undefined
    this.#used.set(token.id, now)
    this.#dirty = true
    return token
  }

  /** Whether it is still there and has not expired. */
  get(id: string, now: number): ApiToken | undefined {
    // Asked for each of thousands of streams in a row: one look serves them all.
    this.#look(LOOK_AGAIN_MS)
    const token = this.#byId.get(id)
    return token && !expired(token, now) ? token : undefined
  }

  /** Newest first, expired ones too, each with the Unix milliseconds of its last use. */
  list(): { readonly token: ApiToken; readonly lastUsed: number | undefined }[] {
    this.#look()
    return [...this.#byId.values()]
      .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
      .map((token) => ({ token, lastUsed: this.#used.get(token.id) }))
  }

  /** Makes a token. What is returned besides its record is not kept anywhere. */
  create(given: GivenToken, now: number, lastsMs: number | undefined): Promise<NewToken> {
    // One after the other: several at once would pass the limit, and of too many tokens any may be ignored.
    const created = this.#creating.then(() => this.#create(given, now, lastsMs))
    this.#creating = created.catch(() => {})
    return created
  }

  async #create(given: GivenToken, now: number, lastsMs: number | undefined): Promise<NewToken> {
    if (this.list().length >= this.#most)
      throw new Problem(409, 'too_many', `There are ${this.#most} tokens already; revoke some first`)
    const random = { secret: randomBytes(tokenSecretBytes), id: randomBytes(6) }
    const made = newToken(given, random, now, lastsMs)
    // It gets its name only when it is complete, so that no reader sees a part of it.
    const draft = join(this.#folder, `.${made.record.id}`)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, `${JSON.stringify(made.record)}\n`, { mode: 0o600, flag: 'wx' })
    await link(draft, this.#file(made.record.id)).finally(() => rm(draft, { force: true }))
    // Where the times of the disk are coarse, two changes may have the same one.
    this.#seen = ''
    return made
  }

  /** It is worthless when this returns. Throws 404. */
  async revoke(id: string): Promise<ApiToken> {
    this.#look()
    const token = this.#byId.get(id)
    if (!token) throw new Problem(404, 'unknown_token', `No API token with the id "${id}"`)
    await rm(this.#file(id), { force: true })
    this.#byDigest = new Map([...this.#byDigest].filter(([, one]) => one.id !== id))
    this.#byId = new Map([...this.#byId].filter(([known]) => known !== id))
    this.#used.delete(id)
    return token
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#note()
  }

  /** Reads the folder again where it changed. On a disk error every token is rejected. */
  #look(unlessWithinMs = 0): void {
    const at = performance.now()
    if (at - this.#lookedAt < unlessWithinMs) return
    this.#lookedAt = at
    let state: string
    try {
      const { mtimeNs, ctimeNs, ino } = statSync(this.#folder, { bigint: true })
      state = `${mtimeNs} ${ctimeNs} ${ino}`
    } catch {
      state = 'gone'
    }
    if (state === this.#seen) return
    const tokens = state === 'gone' ? [] : this.#read()
    this.#byDigest = new Map(tokens.map((token) => [token.digest, token]))
    this.#byId = new Map(tokens.map((token) => [token.id, token]))
    for (const id of this.#used.keys()) if (!this.#byId.has(id)) this.#used.delete(id)
    this.#seen = state
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
      const { mtimeNs, ctimeNs, ino } = statSync(path, { bigint: true })
      const state = `${mtimeNs} ${ctimeNs} ${ino}`
      const known = this.#files.get(name)
      if (known?.state === state) return known
      return { state, token: apiToken.parse(JSON.parse(readFileSync(path, 'utf8'))) }
    } catch {
      this.#log.warn({ file: name }, 'ignoring a file that is not an API token')
      return { state: '', token: undefined }
    }
  }

  #note(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (!this.#dirty) return
      this.#dirty = false
      try {
        await mkdir(dirname(this.#usedFile), { recursive: true, mode: 0o700 })
        const fresh = `${this.#usedFile}.new`
        await writeFile(fresh, JSON.stringify(Object.fromEntries(this.#used)), { mode: 0o600 })
        await rename(fresh, this.#usedFile)
      } catch (error) {
        this.#log.warn({ err: error }, 'cannot save when tokens were last used')
      }
    })
    return this.#writing
  }
}

function expired({ expires_at }: ApiToken, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now
}
