import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSealingKey } from '@tapdeck/tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SealedKeyLog, type SealingKeys, type StoredSecret } from './sealed-key-log.ts'

let folder: string
let now: number
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'tapdeck-key-log-')), 'keys')
  now = 1_800_000_000_000
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

function keysOf(...all: readonly ReturnType<typeof createSealingKey>[]): SealingKeys {
  return { seal: all[0]!, open: new Map(all.map(({ id, key }) => [id, key])) }
}

function openLog(maxBytes = 1e9) {
  const loaded: StoredSecret[] = []
  const failures: string[] = []
  const log = new SealedKeyLog({
    folder,
    maxBytes,
    now: () => now,
    loaded: (secrets) => loaded.push(...secrets),
    failed: (reason) => failures.push(reason),
  })
  return { log, loaded, failures }
}

const secret = (n: number, at = now): StoredSecret => ({
  line: `CLIENT_RANDOM ${String(n).padStart(64, '0')} ${'ab'.repeat(48)}`,
  at,
  source: 'openssl',
})

const files = () => readdirSync(folder).toSorted()
const key = createSealingKey()

test('secrets survive a restart, are not readable on disk, and their files are private', async () => {
  const { log } = openLog()
  log.setKeys(keysOf(key))
  for (const n of [1, 2, 3]) log.add(secret(n))
  await log.close()
  const [file] = files()
  const bytes = readFileSync(join(folder, file!), 'latin1')
  expect(bytes).not.toContain('CLIENT_RANDOM')
  expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const again = openLog()
  again.log.setKeys(keysOf(createSealingKey(), key))
  expect(again.loaded).toEqual([1, 2, 3].map((n) => secret(n)))
})

test('without a key of the hub nothing is written, and secrets wait for it', async () => {
  const { log } = openLog()
  log.add(secret(1))
  expect(log.status).toMatchObject({ waiting: 1, written: 0, bytes: 0 })
  log.setKeys(keysOf(key))
  await log.close()
  expect(log.status).toMatchObject({ waiting: 0, written: 1 })
})

test('a wrong key opens nothing and is counted', async () => {
  const { log } = openLog()
  log.setKeys(keysOf(key))
  log.add(secret(1))
  await log.close()
  const other = openLog()
  other.log.setKeys(keysOf(createSealingKey()))
  expect([other.loaded, other.log.status.locked]).toEqual([[], 1])
})

test('a torn write costs its record only', async () => {
  const { log } = openLog()
  log.setKeys(keysOf(key))
  log.add(secret(1))
  await log.close()
  now += 1
  const second = openLog()
  second.log.setKeys(keysOf(key))
  second.log.add(secret(2))
  await second.log.close()
  const last = join(folder, files().at(-1)!)
  truncateSync(last, statSync(last).size - 1)
  const third = openLog()
  third.log.setKeys(keysOf(key))
  expect(third.loaded).toEqual([secret(1, now - 1)])
  expect(third.log.status.damaged).toBe(1)
  third.log.add(secret(3))
  await third.log.close()
  const fourth = openLog()
  fourth.log.setKeys(keysOf(key))
  expect(fourth.loaded).toHaveLength(2)
})

test('after a rotation a new file is sealed by the new key', async () => {
  const next = createSealingKey()
  const { log } = openLog()
  log.setKeys(keysOf(key))
  log.add(secret(1))
  await log.close()
  log.setKeys(keysOf(next, key))
  log.add(secret(2))
  await log.close()
  expect(files()).toHaveLength(2)
  const onlyNew = openLog()
  onlyNew.log.setKeys(keysOf(next))
  expect(onlyNew.loaded).toHaveLength(1)
})

test('files are deleted with the packets that they open, and the oldest at the bound', async () => {
  const { log } = openLog()
  log.setKeys(keysOf(key))
  for (let n = 0; n < 4; n++) {
    log.add(secret(n))
    await log.close()
    now += 3_600_000
  }
  expect(files()).toHaveLength(4)
  log.forgetBefore(1_800_000_000_000 + 2 * 3_600_000)
  expect(files()).toHaveLength(3)
  log.forgetBefore(now)
  expect(files()).toHaveLength(1)
  const small = openLog(1).log
  small.setKeys(keysOf(key))
  small.add(secret(9))
  await small.close()
  expect(files()).toHaveLength(1)
  expect(small.status.evicted).toBe(1)
})
