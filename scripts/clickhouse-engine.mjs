import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * ClickHouse in WebAssembly behind the part of its HTTP interface that the client uses: one process, data in memory, one
 * query at a time, no users. The argument is the folder of the package `chdb-wasm`. It takes Node.js 24. Prints its port.
 */
const [folder] = process.argv.slice(2)
/** The engine takes a query on its stack, which has 8 MB. */
const MAX_QUERY_BYTES = 6 * 1024 * 1024
/** Parameters of a request that are no settings of its query. */
const NO_SETTINGS = new Set(['query', 'query_id', 'database', 'session_id', 'default_format', 'role'])

const { AsyncChdb } = await import(pathToFileURL(join(folder, 'dist', 'index.js')).href)
const engine = await AsyncChdb.create({ moduleUrl: join(folder, 'dist', 'chdb.mjs') })
const connection = await engine.connect()
await connection.query('SET max_threads = 1', 'TSV')
/** The settings that the connection has. */
const current = new Map()
let last = Promise.resolve()

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/ping') return response.end('Ok.\n')
  const chunks = []
  let size = 0
  request.on('data', (chunk) => {
    size += chunk.length
    if (size <= MAX_QUERY_BYTES) chunks.push(chunk)
  })
  request.on('end', () => {
    if (size > MAX_QUERY_BYTES)
      return fail(response, `Code: 62. DB::Exception: ${size} bytes: this engine takes ${MAX_QUERY_BYTES}.`)
    const sql = [searchParams.get('query'), Buffer.concat(chunks).toString()].filter(Boolean).join('\n')
    last = last.then(() => answer(sql, settingsOf(searchParams), response))
  })
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.on('SIGTERM', () => process.exit(0))
// The suite that started it holds the other end.
process.stdin.on('end', () => process.exit(0)).resume()

function settingsOf(parameters) {
  return new Map([...parameters].filter(([name]) => !NO_SETTINGS.has(name) && !name.startsWith('param_')))
}

async function answer(sql, settings, response) {
  try {
    for (const name of current.keys()) if (!settings.has(name)) await set(name, undefined)
    for (const [name, value] of settings) if (current.get(name) !== value) await set(name, value)
    const { data } = await connection.query(sql, 'TSV')
    response.end(data)
  } catch (error) {
    fail(response, error.message)
  }
}

/** Without a value, the setting gets its default. */
async function set(name, value) {
  const quoted = value === undefined ? 'DEFAULT' : `'${value.replaceAll(/[\\']/g, '\\$&')}'`
  await connection.query(`SET ${name} = ${quoted}`, 'TSV')
  if (value === undefined) current.delete(name)
  else current.set(name, value)
}

function fail(response, message) {
  const [, code = '1001'] = /^Code: (\d+)/.exec(message) ?? []
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': code })
  response.end(message)
}
