import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBoot } from '@tapdeck/config'
import { createHub } from './hub.ts'
import { createLog } from './log.ts'
import { workerCredential } from './worker-credential.ts'

/** The hub as a process. The command line starts it and hands it its configuration in the environment. */
async function main(): Promise<void> {
  const { config, sources } = readBoot(process.env)
  const log = createLog(config.logLevel)
  const dataFolder = resolve(config.data === '' ? 'data' : config.data)
  const given = process.env.TAPDECK_WORKER_TOKEN
  const hub = await createHub({
    config,
    sources,
    dataFolder,
    workerCredential: await workerCredential(given, dataFolder),
    // A credential of its own for this run means that a worker was started beside this hub.
    expectsWorker: given !== undefined && given !== '',
    dashboardFolder: fileURLToPath(new URL('./dashboard/', import.meta.url)),
    dissectionThread: new URL('./hub-dissection.mjs', import.meta.url),
    scriptThread: new URL('./hub-script.mjs', import.meta.url),
    log,
  })
  const { host, port: wanted } = config.hub
  const port = await hub.listen(host, wanted)
  const scheme = config.tap.tls.cert === '' ? 'http' : 'https'
  console.log(`Tapdeck listens on ${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`)

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await hub.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // Whoever started us is gone.
  process.on('disconnect', stop)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'nobody caught this'))
}

main().catch((error: NodeJS.ErrnoException) => {
  console.error(error.code === 'EADDRINUSE' ? `the port is taken: ${error.message}` : error.message)
  process.exit(1)
})
