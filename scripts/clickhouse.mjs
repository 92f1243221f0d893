import { say } from './checkout.mjs'
import { startEngine } from './clickhouse/start-engine.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { finish, nothing, runVitest } from './suites.mjs'

/**
 * `npm run clickhouse`: the index on a real ClickHouse. `TAPDECK_CLICKHOUSE_URL` names a server; without it, ClickHouse comes
 * from npm. `--native` skips the suite where npm has it only as WebAssembly. Words select test files: `npm run clickhouse -- faults`.
 * `--serve FOLDER` runs no test: it keeps a native ClickHouse with its data in the folder, until its standard input ends.
 */
const [mode, ...rest] = process.argv.slice(2)
const nativeOnly = mode === '--native' || mode === '--serve'
const words = nativeOnly ? rest : process.argv.slice(2)

await ensureInstalled()
const given = process.env.TAPDECK_CLICKHOUSE_URL
if (mode === '--serve') await serve(rest[0])
else if (given) finish(await test(given))
else {
  const started = performance.now()
  const engine = await startEngine({ nativeOnly })
  if (engine.reason !== undefined) {
    say(`skipped: ${engine.reason} TAPDECK_CLICKHOUSE_URL can name a server instead.`)
    finish({ ...nothing, skipped: 1 })
  } else {
    say(`Started ClickHouse (${engine.kind}) in ${Math.round((performance.now() - started) / 1000)} s`)
    finish(await test(engine.url))
    await engine.stop()
  }
}

function test(url) {
  return runVitest('ClickHouse', 'vitest.clickhouse.config.ts', {
    env: { TAPDECK_CLICKHOUSE_URL: url },
    words,
  })
}

async function serve(folder) {
  const engine = await startEngine({ nativeOnly, folder })
  if (engine.reason !== undefined) {
    say(engine.reason)
    process.exitCode = 1
    return
  }
  process.stdout.write(`${JSON.stringify({ url: engine.url, pid: engine.pid })}\n`)
  const stop = () => engine.stop().then(() => process.exit())
  process.stdin.once('end', stop).resume()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
}
