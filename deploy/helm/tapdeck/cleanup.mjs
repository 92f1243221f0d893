import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// What a worker stores in its data folder. Other files of the folder are not ours to delete.
const names = ['live', 'live-clickhouse', 'live.damaged', 'os-events', 'recording', 'tls-keys', 'worker-names.json', 'worker.lock']
const folder = process.env.TAPDECK_CLEANUP_FOLDER ?? '/data'
// The worker of this node may still write while it ends; the pods of this job keep each other away from their nodes meanwhile.
const rounds = Number(process.env.TAPDECK_CLEANUP_ROUNDS ?? 10)
for (let round = 0; round < rounds; round++) {
  const found = names.filter((name) => existsSync(join(folder, name)))
  for (const name of found) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  if (found.length > 0) console.log(`deleted ${found.join(', ')}`)
  await sleep(1000)
}
