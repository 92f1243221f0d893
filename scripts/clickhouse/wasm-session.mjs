import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SessionSettings } from './session-settings.mjs'

/** The engine takes a query on its stack, which has 8 MB. */
const MAX_QUERY_BYTES = 6 * 1024 * 1024

/** ClickHouse in WebAssembly (`chdb-wasm`): data in memory, one query at a time. It takes Node.js 24. */
export async function openWebAssembly(folder) {
  const { AsyncChdb } = await import(pathToFileURL(join(folder, 'dist', 'index.js')).href)
  const engine = await AsyncChdb.create({ moduleUrl: join(folder, 'dist', 'chdb.mjs') })
  const connection = await engine.connect()
  await connection.query('SET max_threads = 1', 'TSV')
  const settings = new SessionSettings((sql) => connection.query(sql, 'TSV'))
  let last = Promise.resolve()
  const run = (sql, wanted, rows) => {
    const answered = last.then(async () => {
      const isInsert = rows?.length > 0
      // The literal counts as a part of the statement.
      await settings.apply(
        isInsert ? new Map([...wanted, ['max_query_size', String(MAX_QUERY_BYTES)]]) : wanted,
      )
      return (await connection.query(isInsert ? withRows(sql, rows) : sql, 'TSV')).data
    })
    last = answered.catch(() => undefined)
    return answered
  }
  return { run, maxQueryBytes: MAX_QUERY_BYTES }
}

/** A statement is a text there, so the rows of an insert become a literal. */
function withRows(insert, rows) {
  const [, statement, format] = /^(.*) FORMAT (\w+)$/s.exec(insert)
  const literal = rows
    .toString('latin1')
    .replaceAll(/[^ -&(-[\]-~]/g, (byte) => `\\x${Buffer.from(byte, 'latin1').toString('hex')}`)
  return `${statement} SELECT * FROM format(${format}, '${literal}')`
}
