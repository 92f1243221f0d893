import { createServer } from 'node:http'
import { openNative } from './native-sessions.mjs'
import { openWebAssembly } from './wasm-session.mjs'

/**
 * ClickHouse inside this process, behind the part of its HTTP interface that clients use: one process, no users. Arguments:
 * the folder of the package `chdb` or `chdb-wasm`, and for `chdb` the folder of the data. Prints its port.
 */
const [packageFolder, dataFolder] = process.argv.slice(2)
const { run, maxQueryBytes } =
  dataFolder === undefined
    ? await openWebAssembly(packageFolder)
    : await openNative(packageFolder, dataFolder)

/** Parameters of a request that are no settings of its query. */
const NO_SETTINGS = new Set(['query', 'query_id', 'database', 'session_id', 'default_format', 'role'])

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/ping') return response.end('Ok.\n')
  const chunks = []
  let size = 0
  request.on('data', (chunk) => {
    size += chunk.length
    if (size <= maxQueryBytes) chunks.push(chunk)
  })
  request.on('end', async () => {
    if (size > maxQueryBytes)
      return fail(response, `Code: 62. DB::Exception: ${size} bytes: this engine takes ${maxQueryBytes}.`)
    const body = Buffer.concat(chunks)
    const [sql, rows] = searchParams.has('query') ? [searchParams.get('query'), body] : [body.toString()]
    try {
      response.end(await run(sql, settingsOf(searchParams), rows))
    } catch (error) {
      fail(response, error.message)
    }
  })
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.on('SIGTERM', () => process.exit(0))
// The program that started it holds the other end.
process.stdin.on('end', () => process.exit(0)).resume()

function settingsOf(parameters) {
  return new Map([...parameters].filter(([name]) => !NO_SETTINGS.has(name) && !name.startsWith('param_')))
}

function fail(response, message) {
  const [, code = '1001'] = /^Code: (\d+)/.exec(message) ?? []
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': code })
  response.end(message)
}
