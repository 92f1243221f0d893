import { randomBytes } from 'node:crypto'
import { chown, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ApiToken,
  apiToken,
  lastUsedFile,
  mostTokens,
  newToken,
  tokenFolder,
  tokenSecretBytes,
} from '@tapdeck/api/credentials'
import { CommandFailed } from '../command-failed.ts'

/** The API tokens in the data folder of a hub, which need not run. One that runs notices each change at once. */
export class TokenRepository {
  readonly #data: string
  readonly #folder: string

  constructor(data: string) {
    this.#data = data
    this.#folder = join(data, tokenFolder)
  }

  /** Makes a token. What is returned besides its record is not kept anywhere. */
  async create(
    name: string,
    role: string,
    now: number,
    lastsMs: number | undefined,
  ): Promise<{ record: ApiToken; token: string }> {
    const random = { secret: randomBytes(tokenSecretBytes), id: randomBytes(6) }
    const { record, token } = newToken({ name, role }, random, now, lastsMs)
    await this.#attempt(async () => {
      await this.#ready()
      if ((await this.#names()).length >= mostTokens)
        throw new CommandFailed(`there are ${mostTokens} tokens already`, { hint: 'Revoke some.' })
      // It gets its name only when it is complete, so that the hub never reads half a token.
      const draft = join(this.#folder, `.${record.id}`)
      await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' })
      await this.#giveToOwner(draft)
      await link(draft, this.#file(record.id))
      await rm(draft)
    })
    return { record, token }
  }

  /** Newest first, each with the Unix milliseconds of its last use, where it was used. */
  async list(): Promise<{ readonly record: ApiToken; readonly lastUsed: number | undefined }[]> {
    const used = await this.#lastUsed()
    const records = await this.#attempt(async () =>
      Promise.all((await this.#names()).map(async (name) => this.#read(name))),
    )
    return records
      .filter((record) => record !== undefined)
      .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
      .map((record) => ({ record, lastUsed: used.get(record.id) }))
  }

  /** Revokes the token of that id, or the only one of that name. */
  async revoke(idOrName: string): Promise<ApiToken> {
    const all = (await this.list()).map(({ record }) => record)
    const found = all.filter(({ id }) => id === idOrName)
    const named = found.length > 0 ? found : all.filter(({ name }) => name === idOrName)
    const [record, second] = named
    if (record === undefined)
      throw new CommandFailed(`there is no token "${idOrName}"`, { hint: 'tapdeck token list shows them.' })
    if (second !== undefined)
      throw new CommandFailed(`${named.length} tokens are called "${idOrName}"`, {
        hint: `Give one of their ids: ${named.map(({ id }) => id).join(', ')}`,
      })
    await this.#attempt(() => rm(this.#file(record.id)))
    return record
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    return names.filter((name) => /^[0-9a-f]{12}\.json$/.test(name))
  }

  async #read(name: string): Promise<ApiToken | undefined> {
    const text = await readFile(join(this.#folder, name), 'utf8')
    try {
      return apiToken.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  }

  async #lastUsed(): Promise<Map<string, number>> {
    try {
      const known = JSON.parse(await readFile(join(this.#data, lastUsedFile), 'utf8')) as Record<
        string,
        number
      >
      return new Map(Object.entries(known))
    } catch {
      return new Map()
    }
  }

  async #ready(): Promise<void> {
    await mkdir(this.#data, { recursive: true, mode: 0o700 })
    for (const part of [join(this.#data, 'access'), this.#folder]) {
      await mkdir(part, { mode: 0o700 }).then(
        () => this.#giveToOwner(part),
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
        },
      )
    }
  }

  /** Root may make a token for a hub that runs as another user, who must be able to read it. */
  async #giveToOwner(path: string): Promise<void> {
    if (process.getuid?.() !== 0) return
    const { uid, gid } = await stat(this.#data)
    await chown(path, uid, gid)
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (error instanceof CommandFailed || code === undefined) throw error
      throw new CommandFailed(`the tokens in ${this.#folder} cannot be used: ${message}`, {
        hint: 'Run it on the machine of the hub, as the user that the hub runs as; --data names its data folder.',
      })
    }
  }
}
