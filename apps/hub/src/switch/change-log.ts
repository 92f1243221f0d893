import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '../log.ts'
import { writeFileWhole } from '../write-file-whole.ts'
import type { SwitchChange } from './switch.ts'

const FILE = 'switch-changes.jsonl'
const MAX_CHANGES = 1000
/** Older lines are thrown out now and then, not at each one. */
const MAX_LINES = 2 * MAX_CHANGES

const line = z.object({
  at: z.number(),
  enabled: z.boolean(),
  by: z.string(),
  door: z.string(),
  reason: z.enum(['start', 'request', 'inactivity', 'configuration']),
})

/** The changes of the switch beyond a restart: JSON lines in the data folder, the newest thousand. */
export class ChangeLog {
  readonly #file: string
  readonly #log: Log
  #changes: SwitchChange[]
  #lines: number
  #unwritten: SwitchChange[] = []
  #writing: Promise<void> = Promise.resolve()

  private constructor(file: string, log: Log, changes: SwitchChange[], lines: number) {
    this.#file = file
    this.#log = log
    this.#changes = changes
    this.#lines = lines
  }

  /** A line that cannot be read, such as the last one before a crash, is left out. */
  static async open(dataFolder: string, log: Log): Promise<ChangeLog> {
    const file = join(dataFolder, FILE)
    const text = await readFile(file, 'utf8').catch(() => '')
    const lines = text.split('\n').filter((one) => one !== '')
    const changes = lines.slice(-MAX_CHANGES).flatMap((one) => parsed(one) ?? [])
    const unended = text !== '' && !text.endsWith('\n')
    return new ChangeLog(file, log, changes.reverse(), unended ? MAX_LINES : lines.length)
  }

  /** Newest first. */
  get changes(): readonly SwitchChange[] {
    return this.#changes
  }

  /** The newest change, if it is a pause by a user. */
  get userPause(): SwitchChange | undefined {
    const [last] = this.#changes
    return last?.enabled === false && last.reason === 'request' ? last : undefined
  }

  add(change: SwitchChange): void {
    this.#changes = [change, ...this.#changes.slice(0, MAX_CHANGES - 1)]
    this.#unwritten.push(change)
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error) => this.#log.warn({ err: error }, 'cannot save a change of the indexing switch'))
  }

  flush(): Promise<void> {
    return this.#writing
  }

  async #write(): Promise<void> {
    const fresh = this.#unwritten.splice(0)
    if (fresh.length === 0) return
    if (this.#lines + fresh.length <= MAX_LINES) {
      await appendFile(this.#file, toLines(fresh), { mode: 0o600 })
      this.#lines += fresh.length
    } else {
      // What came meanwhile is in it, too.
      this.#lines = this.#changes.length
      this.#unwritten = []
      await writeFileWhole(this.#file, toLines([...this.#changes].reverse()))
    }
  }
}

function toLines(changes: readonly SwitchChange[]): string {
  return changes.map((change) => `${JSON.stringify(change)}\n`).join('')
}

function parsed(text: string): SwitchChange | undefined {
  try {
    return line.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
