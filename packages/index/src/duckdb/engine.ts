import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { QueryTooLarge } from '../query-too-large.ts'

/**
 * Queries at once. Each takes a thread of the process's pool, which also compresses and syncs what is written: some
 * must stay free, or readers would hold up the writer.
 */
const AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

async function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await run()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** Two threads a query: an index shares its machine with what it watches. */
const THREADS = 2
/** A writer counts as active this long after its last commit. */
const WRITING_MS = 1000
/** How often an interrupt is repeated: a statement that waited for a thread has missed it. */
const INTERRUPT_EVERY_MS = 10

/** How many times its memory a query may put on disk while it runs. */
const SPILL = 4
const LEAST_MEMORY = 64 * 1024 * 1024
/** What a database that rests may hold: a limit that it goes down to at once, by letting go of what it has read. */
const RELEASED = '8MB'
/** The database keeps the values of exact percentiles outside its own limit: some 16 bytes each, a third of the memory. */
const BYTES_A_VALUE = 16
const VALUES_SHARE = 1 / 3
/** Memory for each chunk of a statement that reads many: each of its joins takes 4 MB a chunk until the statement ends. */
const BYTES_A_CHUNK = 32 * 1024 * 1024

/** How many chunks a statement reads at once: all, up to a number that memory is always for; of more, groups of this size. */
export interface ChunkGroups {
  readonly chunksAtOnce: number
  readonly chunksOfMany: number
}

function chunkGroups(memory: number): ChunkGroups {
  const chunksAtOnce = 16
  return {
    chunksAtOnce,
    chunksOfMany: Math.min(Math.max(Math.floor(memory / BYTES_A_CHUNK), 4), chunksAtOnce),
  }
}

/** The query engine of one index: an empty database that the chunks are attached to. */
export class Engine implements ChunkGroups {
  readonly #instance: DuckDBInstance
  readonly #memory: string
  readonly #idle: DuckDBConnection[] = []
  /** Statements that are at work or about to be. */
  #busy = 0
  /** Those of them that the database has, and the connections that they run on. */
  #statements = 0
  readonly #at = new Set<DuckDBConnection>()
  #abandoned = false
  #threads = 1
  #changing: Promise<void> = Promise.resolve()
  #writtenAt = Number.NEGATIVE_INFINITY
  /** Values that the percentiles of one answer may be taken of. */
  readonly mostValues: number
  readonly chunksAtOnce: number
  readonly chunksOfMany: number

  private constructor(instance: DuckDBInstance, memory: string, mostValues: number, groups: ChunkGroups) {
    this.#instance = instance
    this.#memory = memory
    this.mostValues = mostValues
    this.chunksAtOnce = groups.chunksAtOnce
    this.chunksOfMany = groups.chunksOfMany
  }

  static async start(
    folder: string,
    memory: number,
    readOnly: boolean,
    groups = chunkGroups(memory),
  ): Promise<Engine> {
    const limit = `${Math.max(Math.floor(memory * (1 - VALUES_SHARE)), LEAST_MEMORY)}B`
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '1',
      memory_limit: limit,
      temp_directory: readOnly ? '' : join(folder, 'spill'),
      max_temp_directory_size: `${Math.max(memory, LEAST_MEMORY) * SPILL}B`,
      // The writer checkpoints the write-ahead log (`Chunk.fold`, `Chunk.seal`), never while rows are committed.
      checkpoint_threshold: '64GB',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    if (readOnly) await confine(instance, folder)
    return new Engine(instance, limit, Math.floor((memory * VALUES_SHARE) / BYTES_A_VALUE), groups)
  }

  connect(): Promise<DuckDBConnection> {
    return this.#instance.connect()
  }

  /** Threads that the database has now for one statement. */
  get threads(): number {
    return this.#threads
  }

  /** A background statement: it gets no thread besides its own. */
  async run(sql: string): Promise<void> {
    await inTurn(() => this.#counted(() => this.#rows(sql)))
  }

  /**
   * All rows of an answer. Each runs on a connection of its own, off this thread. While many rows are written it gets
   * no second thread: the two would wait for each other, at the writer's cost.
   */
  rows(sql: string): Promise<DuckDBValue[][]> {
    return inTurn(() =>
      this.#counted(async () => {
        if (performance.now() - this.#writtenAt > WRITING_MS) await this.#setThreads(THREADS)
        return this.#rows(sql)
      }),
    )
  }

  /** Many rows are being written; or not any more. */
  written(goesOn: boolean): void {
    this.#writtenAt = goesOn ? performance.now() : Number.NEGATIVE_INFINITY
  }

  /**
   * Before a commit: without queries, the database needs only the thread that commits. Its other threads would wait in a
   * busy loop.
   */
  async rest(): Promise<void> {
    if (this.#busy === 0) await this.#setThreads(1)
  }

  /** Frees the buffer cache of the database, except while a query runs. */
  async release(): Promise<void> {
    if (this.#busy > 0) return
    await this.#counted(async () => {
      try {
        await this.#rows(`SET memory_limit = '${RELEASED}'`)
      } finally {
        await this.#rows(`SET memory_limit = '${this.#memory}'`)
      }
    })
  }

  /**
   * Breaks off what runs, and lets nothing begin any more. Resolves once nothing runs; the log is not folded in by `stop`
   * then.
   */
  async abandon(): Promise<void> {
    this.#abandoned = true
    while (this.#statements > 0) {
      for (const connection of this.#at) connection.interrupt()
      await setTimeout(INTERRUPT_EVERY_MS)
    }
    const connection = await this.connect()
    await connection.run('PRAGMA disable_checkpoint_on_shutdown')
    connection.closeSync()
  }

  stop(): void {
    for (const connection of this.#idle) connection.closeSync()
    this.#instance.closeSync()
  }

  async #counted<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#busy++
    try {
      return await run()
    } finally {
      this.#busy--
    }
  }

  /** One change after the other; fewer only while nothing runs, since they are awaited. */
  #setThreads(threads: number): Promise<void> {
    const changed = this.#changing.then(async () => {
      if (this.#threads === threads) return
      await this.#rows(`SET threads = ${threads}`)
      this.#threads = threads
    })
    this.#changing = changed.catch(() => undefined)
    return changed
  }

  async #rows(sql: string): Promise<DuckDBValue[][]> {
    if (this.#abandoned) throw new Error('The index is closed.')
    this.#statements++
    try {
      const connection = this.#idle.pop() ?? (await this.connect())
      this.#at.add(connection)
      try {
        return (await connection.runAndReadAll(sql)).getRows()
      } finally {
        this.#at.delete(connection)
        this.#idle.push(connection)
      }
    } catch (error) {
      throw isTooLarge(error) ? new QueryTooLarge(TOO_LARGE, { cause: error }) : error
    } finally {
      this.#statements--
    }
  }
}

/**
 * A finished index may come from a bucket that others write to. What it calls a table may be a view that reads other files,
 * so its queries reach nothing outside of its folder.
 */
async function confine(instance: DuckDBInstance, folder: string): Promise<void> {
  const connection = await instance.connect()
  await connection.run(`SET allowed_directories = [${quote(folder)}]`)
  await connection.run('SET enable_external_access = false')
  connection.closeSync()
}

const TOO_LARGE = 'The query needs more memory than a query may have.'

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && /^Out of Memory Error/.test(error.message)
}

/** A text as SQL. The parser takes a NUL for the end of the statement, and keys and paths of the traffic may have some. */
export function quote(text: string): string {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts[0] : `(${parts.join(' || chr(0) || ')})`
}
