import { createRequire } from 'node:module'
import { join } from 'node:path'
import { SessionSettings } from './session-settings.mjs'

/** Queries at the same time: a session runs one, in a thread of libuv, of which there are four. */
const SESSIONS = 4
const MAX_QUERY_BYTES = 64 * 1024 * 1024

/** ClickHouse as a native library (`chdb`): data on disk, several queries at the same time. */
export async function openNative(packageFolder, dataFolder) {
  const { Session } = createRequire(import.meta.url)(join(packageFolder, 'index.js'))
  const idle = Array.from({ length: SESSIONS }, () => {
    const session = new Session(dataFolder)
    const query = async (sql) => (await session.queryAsync(sql, { format: 'TSV' })).bytes()
    return { query, settings: new SessionSettings(query) }
  })
  const waiting = []

  async function run(sql, wanted) {
    const session = idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)))
    try {
      await session.settings.apply(wanted)
      return await session.query(sql)
    } finally {
      const next = waiting.shift()
      if (next) next(session)
      else idle.push(session)
    }
  }
  return { run, maxQueryBytes: MAX_QUERY_BYTES }
}
