import { resolve } from 'node:path'
import { readBoot } from '@tapdeck/config'
import { lockFolder, makePrivate } from '@tapdeck/recording'
import { loadRedactor } from './load-redactor.ts'
import { createLog } from './log.ts'
import { NodeWorker } from './worker.ts'

const STOP_WITHIN_MS = 8000

/** The worker process. The CLI starts it and passes the configuration in the environment. */
async function main(): Promise<void> {
  const { config } = readBoot(process.env)
  const log = createLog(config.logLevel)
  const dataFolder = resolve(config.data === '' ? 'data' : config.data)
  await lockFolder(dataFolder, 'worker', { note: (line) => log.warn(line) })
  const { mended, failed, reason } = makePrivate(dataFolder, 'worker')
  if (mended > 0) log.warn({ mended }, 'Other users could read files of the data folder; access was removed')
  if (failed > 0)
    log.error({ failed, reason }, 'Other users can read files of the data folder. Correct the permissions.')
  // An invalid rule is reported here once, instead of by a thread that restarts again and again.
  await loadRedactor(config.tap.redaction)
  const { TAPDECK_WORKER_TOKEN: text, TAPDECK_WORKER_TOKEN_FILE: file } = process.env
  const worker = new NodeWorker({
    config,
    dataFolder,
    ...(text ? { credential: { text } } : file ? { credential: { file } } : {}),
    captureThread: new URL('./worker-capture.mjs', import.meta.url),
    liveThread: new URL('./worker-live.mjs', import.meta.url),
    rewindThread: new URL('./worker-rewind.mjs', import.meta.url),
    log,
    failed(reason) {
      log.fatal(reason)
      process.exit(1)
    },
  })

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await worker.stop()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // The command that started this process is gone.
  process.on('disconnect', stop)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'Unhandled promise rejection'))
  await worker.start(log)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
