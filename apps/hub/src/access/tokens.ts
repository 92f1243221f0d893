import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '@tapdeck/api'
import {
  type ApiToken,
  lastUsedFile,
  mostTokens,
  newToken,
  sameDigest,
  tokenDigest,
  tokenSecretBytes,
} from '@tapdeck/api/credentials'
import type { Log } from '../log.ts'
import { InTurn } from '../state/in-turn.ts'
import { TokenFolder } from './token-folder.ts'
import type { TokenRecords } from './token-records.ts'

const NOTE_EVERY_MS = 10_000
const LOOK_AGAIN_MS = 50

type GivenToken = Pick<ApiToken, 'name' | 'role' | 'created_by'>

interface NewToken {
  readonly record: ApiToken
  readonly token: string
}

export interface TokensOptions {
  readonly dataFolder: string
  readonly log: Log
  /** Tokens of hubs that replace each other: new ones are stored there. Absent: in the data folder. */
  readonly shared?: TokenRecords | undefined
  /** How many tokens there may be. */
  readonly most?: number
}

/** The API tokens: those of the data folder, which the command line makes, and those that several hubs share. */
export class Tokens {
  readonly #usedFile: string
  readonly #log: Log
  /** New tokens go to the first. */
  readonly #records: readonly TokenRecords[]
  readonly #found: (readonly ApiToken[])[]
  #byDigest: ReadonlyMap<string, ApiToken> = new Map()
  #byId: ReadonlyMap<string, ApiToken> = new Map()
  readonly #used = new Map<string, number>()
  #dirty = false
  #writing: Promise<void> = Promise.resolve()
  readonly #creating = new InTurn()
  readonly #most: number
  readonly #timer: NodeJS.Timeout

  private constructor(
    { dataFolder, log, most = mostTokens }: TokensOptions,
    records: readonly TokenRecords[],
  ) {
    this.#most = most
    this.#records = records
    this.#found = records.map(() => [])
    this.#usedFile = join(dataFolder, lastUsedFile)
    this.#log = log
    this.#timer = setInterval(() => void this.#note(), NOTE_EVERY_MS).unref()
  }

  static async open(options: TokensOptions): Promise<Tokens> {
    const { dataFolder, log, shared, most = mostTokens } = options
    const folder = await TokenFolder.open(dataFolder, log, most)
    const tokens = new Tokens(options, shared ? [shared, folder] : [folder])
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
    return this.#creating.run(() => this.#create(given, now, lastsMs))
  }

  async #create(given: GivenToken, now: number, lastsMs: number | undefined): Promise<NewToken> {
    if (this.list().length >= this.#most)
      throw new Problem(409, 'too_many', `There are ${this.#most} tokens already; revoke some first`)
    const random = { secret: randomBytes(tokenSecretBytes), id: randomBytes(6) }
    const made = newToken(given, random, now, lastsMs)
    await this.#records[0]!.add(made.record)
    return made
  }

  /** It is worthless when this returns. Throws 404. */
  async revoke(id: string): Promise<ApiToken> {
    this.#look()
    const token = this.#byId.get(id)
    if (!token) throw new Problem(404, 'unknown_token', `No API token with the id "${id}"`)
    for (const records of this.#records) await records.remove(id)
    this.#byDigest = new Map([...this.#byDigest].filter(([, one]) => one.id !== id))
    this.#byId = new Map([...this.#byId].filter(([known]) => known !== id))
    this.#used.delete(id)
    return token
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#note()
  }

  #look(unlessWithinMs = 0): void {
    let isChanged = false
    for (const [at, records] of this.#records.entries()) {
      const found = records.look(unlessWithinMs)
      if (found === undefined) continue
      this.#found[at] = found
      isChanged = true
    }
    if (!isChanged) return
    const tokens = this.#found.flat()
    this.#byDigest = new Map(tokens.map((token) => [token.digest, token]))
    this.#byId = new Map(tokens.map((token) => [token.id, token]))
    for (const id of this.#used.keys()) if (!this.#byId.has(id)) this.#used.delete(id)
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
