import { randomBytes } from 'node:crypto'
import { Problem } from '@tapdeck/api'
import { type ObjectStore, StorageProblem } from '@tapdeck/objects'
import { requireDocumentSize } from './require-document-size.ts'
import {
  DOCUMENT_PREFIX,
  describeOwner,
  generationOf,
  readHead,
  type StateHead,
  writeHead,
} from './state-head.ts'
import type { StateSeal } from './state-seal.ts'
import { MAX_DOCUMENTS, requireDocumentName, type StateStore } from './state-store.ts'
import { LOOKS, type TakenState } from './take-state.ts'

/** The largest sealed document: its text, its name and the record around them. */
const MAX_SEALED_BYTES = 4 * 1024 * 1024 + 4096
/** All documents are in memory, too. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024
const AT_ONCE = 8
/** A lost write is tried again so often before its outcome is left to the next one. */
const ATTEMPTS = 3
/** A request that hangs must not make this hub look gone: the head is written and read within a third of that time, or so long. */
const HEAD_WITHIN_MS = 5000

export interface BucketStateOptions {
  readonly objects: ObjectStore
  readonly seal: StateSeal
  readonly taken: TakenState
  /** How long a write or a read of the head may take, in milliseconds. */
  readonly headWithinMs?: number
  /** Another hub has the state: this one must end. */
  lost(reason: string): void
  /** The bucket does not take writes, or takes them again (undefined). */
  away(reason: string | undefined): void
}

/** Documents by their names; undefined: it is removed. */
type Documents = ReadonlyMap<string, string | undefined>

interface Change {
  readonly documents: Documents
  resolve(): void
  reject(error: unknown): void
}

/**
 * State documents in a bucket. A document is written under a key of its own; then the head, which names it, is replaced only if no
 * other hub wrote it. So a change exists for all hubs or for none, and a hub that lost the state cannot write. The same write shows
 * that this hub is alive. Reads are answered from memory.
 */
export class BucketState implements StateStore {
  readonly #options: BucketStateOptions
  readonly #texts = new Map<string, string>()
  readonly #run: string
  /** In all its keys: a key is never written twice, also after the head was deleted and generations begin anew. */
  readonly #mark = randomBytes(6).toString('hex')
  readonly #waiting: Change[] = []
  readonly #timer: NodeJS.Timeout
  #head: StateHead
  #version: string
  #documents: Readonly<Record<string, string>>
  #beat: number
  #sequence = 0
  /** Keys that no head names, or will name. */
  #garbage: string[] = []
  #working: Promise<void> = Promise.resolve()
  #isWorking = false
  #isUploading = false
  /** A write of the head while documents are uploaded. */
  #beating: Promise<void> | undefined
  #lostTo: string | undefined
  #isAway = false
  #isClosed = false

  private constructor(options: BucketStateOptions) {
    const { head, version } = options.taken
    this.#options = options
    this.#head = head
    this.#version = version
    this.#documents = head.documents
    this.#beat = head.beat
    this.#run = head.owner!.run
    this.#timer = setInterval(() => this.#tick(), head.gone_after_ms / LOOKS)
  }

  /**
   * Reads all documents. Throws, and gives the state up, where one cannot be opened: another hub may have the right key. The state of
   * `initial` is used if the bucket has none.
   */
  static async open(options: BucketStateOptions, initial?: StateStore): Promise<BucketState> {
    const state = new BucketState(options)
    try {
      await state.#load()
      if (state.#texts.size === 0 && initial) await state.#adopt(initial)
      await state.#sweep()
    } catch (error) {
      await state.close()
      throw error
    }
    return state
  }

  get address(): string {
    return `${this.#options.objects.address}state/`
  }

  get holder(): string {
    return this.#head.owner!.folder
  }

  async read(name: string): Promise<string | undefined> {
    requireDocumentName(name)
    return this.#texts.get(name)
  }

  async names(prefix: string): Promise<string[]> {
    return [...this.#texts.keys()].filter((name) => name.startsWith(prefix)).sort()
  }

  async write(name: string, text: string): Promise<void> {
    requireDocumentName(name)
    requireDocumentSize(name, text)
    await this.#change(new Map([[name, text]]))
  }

  async remove(name: string): Promise<void> {
    requireDocumentName(name)
    await this.#change(new Map([[name, undefined]]))
  }

  /** Gives the state up, so that the next hub begins at once. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    await this.#working
    if (this.#lostTo !== undefined) return
    const { objects } = this.#options
    const head = { ...this.#head, documents: this.#documents, beat: this.#beat + 1, owner: null }
    await writeHead(objects, head, this.#version).catch(() => {})
  }

  /** All of them, or none. */
  #change(documents: Documents): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Problem(503, 'stopping', 'The hub is stopping'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ documents, resolve, reject })
      this.#work()
    })
  }

  /** Documents may take long: meanwhile the head says that this hub is alive. */
  #tick(): void {
    this.#work()
    if (!this.#isUploading || this.#beating) return
    this.#beating = this.#replaceHead(this.#documents)
      .catch(() => {})
      .finally(() => {
        this.#beating = undefined
      })
  }

  /** Commits what waits, all of it with one write of the head; without changes it only shows that this hub is alive. */
  #work(): void {
    if (this.#isWorking) return
    this.#isWorking = true
    this.#working = this.#commitAll().finally(() => {
      this.#isWorking = false
    })
  }

  async #commitAll(): Promise<void> {
    do {
      const changes = this.#admitted(this.#waiting.splice(0))
      try {
        // Of several changes of one document, the last one counts for all.
        await this.#commit(new Map(changes.flatMap(({ documents }) => [...documents])))
        for (const { resolve } of changes) resolve()
        this.#isReachable()
      } catch (error) {
        for (const { reject } of changes) reject(error)
        if (this.#lostTo === undefined) this.#isUnreachable(error)
      }
    } while (this.#waiting.length > 0)
  }

  /** Rejects those that would make the state too large to be read at the next start, also together. */
  #admitted(changes: readonly Change[]): Change[] {
    const sizes = new Map([...this.#texts].map(([name, text]) => [name, text.length]))
    let total = sum(sizes.values())
    return changes.filter(({ documents, reject }) => {
      for (const [name, text] of documents) {
        const [before, after] = [sizes.get(name), text?.length]
        const problem = limitReached(
          total - (before ?? 0) + (after ?? 0),
          sizes.size + (before === undefined ? 1 : 0),
        )
        if (after !== undefined && problem) {
          reject(problem)
          return false
        }
        total += (after ?? 0) - (before ?? 0)
        if (after === undefined) sizes.delete(name)
        else sizes.set(name, after)
      }
      return true
    })
  }

  async #commit(changes: Documents): Promise<void> {
    this.#requireOwner()
    const fresh = new Map<string, string>()
    const documents = { ...this.#documents }
    for (const [name, text] of changes) {
      delete documents[name]
      if (text === undefined) continue
      const key = `${DOCUMENT_PREFIX}${this.#head.generation}-${this.#mark}-${++this.#sequence}`
      fresh.set(name, key)
      documents[name] = key
    }
    const replaced = [...changes.keys()].flatMap((name) => this.#documents[name] ?? [])
    try {
      this.#isUploading = true
      await inParallel([...fresh], async ([name, key]) => {
        await this.#options.objects.put(key, this.#options.seal.seal(name, changes.get(name)!))
      }).finally(() => {
        this.#isUploading = false
        // It names the documents as before, and must not come after a head that names others.
        return this.#beating
      })
      await this.#replaceHead(documents)
    } catch (error) {
      this.#garbage.push(...fresh.values())
      throw error
    }
    this.#documents = documents
    for (const [name, text] of changes)
      if (text === undefined) this.#texts.delete(name)
      else this.#texts.set(name, text)
    this.#garbage.push(...replaced)
    await this.#removeGarbage()
  }

  /** Throws, with the documents as before, where another hub has the state or the bucket does not answer. */
  async #replaceHead(documents: Readonly<Record<string, string>>): Promise<void> {
    const { objects } = this.#options
    for (let attempt = 1; ; attempt++) {
      this.#requireOwner()
      const head: StateHead = { ...this.#head, beat: ++this.#beat, documents }
      try {
        this.#version = await writeHead(objects, head, this.#version, this.#soon())
        return
      } catch (error) {
        const found = await readHead(objects, this.#soon()).catch(() => {
          throw error
        })
        if (found?.head.owner?.run !== this.#run) this.#lose(found?.head)
        this.#version = found!.version
        // It was written, and only the answer did not arrive.
        if (found!.head.beat === head.beat) return
        // An earlier write of ours, which was refused, is replaced.
        if (!isConflict(error) || attempt === ATTEMPTS) throw error
      }
    }
  }

  #soon(): AbortSignal {
    const { headWithinMs = HEAD_WITHIN_MS } = this.#options
    return AbortSignal.timeout(Math.ceil(Math.max(headWithinMs, this.#head.gone_after_ms / 3)))
  }

  #requireOwner(): void {
    if (this.#lostTo !== undefined)
      throw new Problem(503, 'not_the_hub', `${this.#lostTo}. Nothing was changed`, {
        hint: 'Repeat the request at the address of the hub.',
      })
  }

  #lose(head: StateHead | undefined): void {
    this.#lostTo = head
      ? `Another hub has the state in ${this.address} (${describeOwner(head)})`
      : `The state in ${this.address} was removed`
    clearInterval(this.#timer)
    // Nothing that waits is written.
    const { lost } = this.#options
    setImmediate(lost, this.#lostTo)
    this.#requireOwner()
  }

  #isUnreachable(error: unknown): void {
    if (this.#isAway || this.#isClosed) return
    this.#isAway = true
    this.#options.away(error instanceof Error ? error.message : String(error))
  }

  #isReachable(): void {
    if (!this.#isAway) return
    this.#isAway = false
    this.#options.away(undefined)
  }

  async #removeGarbage(): Promise<void> {
    const keys = this.#garbage
    if (keys.length === 0) return
    this.#garbage = []
    // What stays is removed at the next start.
    await this.#options.objects.remove(keys).catch(() => {})
  }

  async #load(): Promise<void> {
    const { objects, seal } = this.#options
    let total = 0
    await inParallel(Object.entries(this.#documents), async ([name, key]) => {
      const where = `state document "${name}" (${key} in ${objects.address})`
      requireDocumentName(name)
      const bytes = await objects.get(key, MAX_SEALED_BYTES)
      if (bytes === undefined) throw new Error(`the ${where} is missing. ${RESTORE}`)
      try {
        this.#texts.set(name, seal.open(name, bytes))
      } catch (error) {
        throw new Error(`cannot open the ${where}: ${(error as Error).message}. ${RESTORE}`)
      }
      total += this.#texts.get(name)!.length
      if (total > MAX_TOTAL_BYTES)
        throw new Error(`the state in ${objects.address} has more than ${MAX_TOTAL_BYTES} bytes`)
    })
  }

  /** The first hub with this bucket brings what it had on its disk. */
  async #adopt(initial: StateStore): Promise<void> {
    const groups = ['', 'recordings/', 'snapshot-requests/']
    const names = (await Promise.all(groups.map((group) => initial.names(group)))).flat()
    const found = new Map<string, string>()
    for (const name of names.filter((one) => ADOPTED.test(one))) {
      const text = await initial.read(name)
      if (text !== undefined) found.set(name, text)
    }
    await this.#change(found)
  }

  /** What an earlier owner left: versions that were replaced, and changes that were refused. */
  async #sweep(): Promise<void> {
    const named = new Set(Object.values(this.#documents))
    for await (const { key } of this.#options.objects.list(DOCUMENT_PREFIX)) {
      // Another hub may have taken over meanwhile, and have written newer ones.
      if (generationOf(key) < this.#head.generation && !named.has(key)) this.#garbage.push(key)
    }
    await this.#removeGarbage()
  }
}

const RESTORE =
  'Restore it from a version of the bucket, or delete state/head.json to start with the state of the data folder.'
const ADOPTED =
  /^(agents|link-authority|saved-filters|switch|targets|tls-sealing-keys|(recordings|snapshot-requests)\/.+)$/

function limitReached(bytes: number, documents: number): Problem | undefined {
  const hint = 'Delete recordings that are not used.'
  if (documents > MAX_DOCUMENTS)
    return new Problem(409, 'too_many', `There are ${MAX_DOCUMENTS} state documents, which is the limit`, {
      hint,
    })
  if (bytes > MAX_TOTAL_BYTES)
    return new Problem(
      409,
      'too_large',
      `The state of the hub would have more than ${MAX_TOTAL_BYTES} bytes`,
      { hint },
    )
  return undefined
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

function isConflict(error: unknown): boolean {
  return error instanceof StorageProblem && (error.kind === 'exists' || error.kind === 'missing')
}

async function inParallel<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, next))
}
