import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { readBoot } from '@tapdeck/config'
import { lockFolder } from './folder-lock.ts'
import { loadRedactor } from './load-redactor.ts'
import { createLog } from './log.ts'
import { NodeWorker } from './worker.ts'

const STOP_WITHIN_MS = 8000

/** The worker as a process. The command line starts it and hands it its configuration in the environment. */
async function main(): Promise<void> {
  const { config } = readBoot(process.env)
  const log = createLog(config.logLevel)
  const dataFolder = resolve(config.data === '' ? 'data' : config.data)
  mkdirSync(dataFolder, { recursive: true })
  await lockFolder(dataFolder)
  // A wrong rule is told here, by name, and not by a thread that ends again and again.
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
  // Whoever started us is gone.
  process.on('disconnect', stop)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'nobody caught this'))
  await worker.start(log)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
