import { tmpdir } from 'node:os'
import { readBoot } from '@tapdeck/config'
import { beginPart } from '@tapdeck/config/begin-part'
import { z } from 'zod'
import { createLog } from '../../log.ts'
import { openBucket } from '../../snapshots/open-bucket.ts'
import { runDissectJob } from './run-dissect-job.ts'

/** The process of `tapdeck dissect-job`. The command line hands it its configuration and its request in the environment. */
beginPart()

const requestShape = z.object({
  snapshot: z.string(),
  name: z.string(),
  kfl: z.string(),
  protocols: z.array(z.string()).optional(),
  requested: z.boolean(),
  folder: z.string(),
})

async function main(): Promise<number> {
  const { config } = readBoot(process.env)
  const request = requestShape.parse(JSON.parse(process.env.TAPDECK_DISSECT_JOB ?? '{}'))
  const { snapshot, name, kfl, protocols, requested, folder } = request
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  process.on('disconnect', () => stop.abort())
  const { tap } = config
  const objects = await openBucket({
    ...config,
    tap: { ...tap, snapshots: { ...tap.snapshots, storage: 's3' } },
  })
  const record = await runDissectJob({
    ...{ config, objects: objects!, requested },
    request: { snapshot_name: snapshot, dissection_name: name, kfl, protocols },
    folder: folder === '' ? tmpdir() : folder,
    thread: new URL('./hub-dissection.mjs', import.meta.url),
    log: createLog(config.logLevel),
    now: Date.now,
    signal: stop.signal,
  })
  const { status, call_count, flow_count, packet_count, size_bytes, loss, errors } = record
  console.log(
    JSON.stringify({
      snapshot,
      name,
      status,
      call_count,
      flow_count,
      packet_count,
      size_bytes,
      loss,
      errors,
    }),
  )
  objects!.close()
  return status === 'completed' ? 0 : 1
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    console.error(error.message)
    process.exit(1)
  },
)
