import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { SessionSettings } from './session-settings.mjs'

/** Queries at the same time: a session runs one, in a thread of libuv, of which there are four. */
const SESSIONS = 4
const MAX_QUERY_BYTES = 64 * 1024 * 1024

/** ClickHouse as a native library (`chdb`): data on disk, several queries at the same time. */
export async function openNative(packageFolder, dataFolder) {
  const { Session } = createRequire(import.meta.url)(join(packageFolder, 'index.js'))
  const idle = Array.from({ length: SESSIONS }, (_, i) => {
    const session = new Session(dataFolder)
    const query = async (sql) => (await session.queryAsync(sql, { format: 'TSV' })).bytes()
    // The library takes the rows of an insert as text, or from a file.
    const file = join(dataFolder, `insert-${i}`)
    const insert = async (sql, rows) => {
      await writeFile(file, rows)
      return query(sql.replace(/ FORMAT \w+$/, ` FROM INFILE '${file}'$&`))
    }
    return { query, insert, settings: new SessionSettings(query) }
  })
  const waiting = []

  /** `rows`: what an insert has after its statement. */
  async function run(sql, wanted, rows) {
    const session = idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)))
    try {
      await session.settings.apply(wanted)
      return await (rows?.length > 0 ? session.insert(sql, rows) : session.query(sql))
    } finally {
      const next = waiting.shift()
      if (next) next(session)
      else idle.push(session)
    }
  }
  return { run, maxQueryBytes: MAX_QUERY_BYTES }
}
