import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBoot, serviceLinks } from '@tapdeck/config'
import { lockFolder, makePrivate, watchLock } from '@tapdeck/recording'
import { createHub } from './hub.ts'
import { createLog } from './log.ts'
import { openBucket } from './snapshots/open-bucket.ts'
import { openState } from './state/open-state.ts'
import { workerCredential } from './worker-credential.ts'

/** A hub that does not end would keep its folder and its port. */
const STOP_WITHIN_MS = 8000

/** The hub as a process. The command line starts it and hands it its configuration in the environment. */
async function main(): Promise<void> {
  const { config, origins, sources } = readBoot(process.env)
  const log = createLog(config.logLevel)
  for (const variable of serviceLinks(sources.env))
    log.warn(
      { variable },
      'Kubernetes set this variable for a Service; it is ignored. Set enableServiceLinks: false in the pod.',
    )
  const dataFolder = resolve(config.data === '' ? 'data' : config.data)
  const { standby } = config.hub
  let waitedForFolder = false
  await lockFolder(dataFolder, 'hub', {
    standby,
    note(line) {
      // A standby notes only that it waits.
      waitedForFolder = standby
      log.warn(line)
    },
  })
  if (standby) log.info('this hub has the data folder, and starts')
  watchLock(dataFolder, 'hub', (holder) => {
    log.fatal({ holder }, 'another hub has taken over the data folder; this one ends')
    process.exit(1)
  })
  const { mended, failed, reason } = makePrivate(dataFolder, 'hub')
  if (mended > 0)
    log.warn({ mended }, 'files in the data folder were readable by other users; fixed their permissions')
  if (failed > 0)
    log.error(
      { failed, reason },
      'files in the data folder are readable by other users, and their permissions cannot be changed',
    )
  const given = process.env.TAPDECK_WORKER_TOKEN
  const { state, hasTakenOver } = await openState({
    config,
    dataFolder,
    log,
    openBucket,
    lost(reason) {
      log.fatal({ reason }, 'another hub has taken over the state; this one ends')
      process.exit(1)
    },
  })
  // A hub that cannot start must not keep the state from one that can.
  const giveUp = async (error: unknown) => {
    await state.close()
    throw error
  }
  const hub = await createHub({
    config,
    origins,
    sources,
    dataFolder,
    state,
    hasTakenOver: hasTakenOver || waitedForFolder,
    workerCredential: await workerCredential(given, dataFolder),
    // A credential of its own for this run means that a worker was started beside this hub.
    expectsWorker: given !== undefined && given !== '',
    dashboardFolder: fileURLToPath(new URL('./dashboard/', import.meta.url)),
    dissectionThread: new URL('./hub-dissection.mjs', import.meta.url),
    scriptThread: new URL('./hub-script.mjs', import.meta.url),
    log,
  }).catch(giveUp)
  const { host, port: wanted } = config.hub
  const port = await hub.listen(host, wanted).catch(giveUp)
  const scheme = config.tap.tls.cert === '' ? 'http' : 'https'
  console.log(`Tapdeck listens on ${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`)

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await hub.close()
    await state.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // The command that started this process is gone.
  process.on('disconnect', stop)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'Unhandled promise rejection'))
}

main().catch((error: NodeJS.ErrnoException) => {
  console.error(error.code === 'EADDRINUSE' ? `Port already in use: ${error.message}` : error.message)
  process.exit(1)
})
