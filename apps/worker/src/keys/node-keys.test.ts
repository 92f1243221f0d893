import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type CapturedSecret, type KeySource, type KeySourceStatus, NO_ACTIVITY } from './key-source.ts'
import { NodeKeys } from './node-keys.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-node-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

class ListedSecrets implements KeySource {
  counts: Partial<KeySourceStatus> = {}
  readUntil = 0
  take: ((secret: CapturedSecret) => void) | undefined
  start(onSecret: (secret: CapturedSecret) => void): void {
    this.take = onSecret
  }
  stop(): void {}
  status(): KeySourceStatus {
    return { ...NO_ACTIVITY, ...this.counts }
  }
}

it('reports the sums of all sources, hits per second and reasons, and no secret', async () => {
  const [one, other] = [new ListedSecrets(), new ListedSecrets()]
  let now = 1_000_000
  const keys = new NodeKeys({
    sources: [one, other],
    folder: join(folder, 'tls-keys'),
    maxBytes: 1 << 20,
    log: pino({ level: 'silent' }),
    deliver: () => {},
    caughtUp: () => {},
    now: () => now,
  })
  keys.start()
  expect(keys.report).toMatchObject({ probes: 0, hits_per_second: 0, log: { held: 0, bytes: 0 } })
  expect(keys.report).not.toHaveProperty('reason')
  one.counts = { probes: 2, hits: 50, missed: 1, learningFailures: 1, overBudget: 3, reason: 'One.' }
  other.counts = { files: 4, secrets: 5, badLines: 6, hits: 10, reason: 'Other.' }
  const random = 'ab'.repeat(32)
  one.take!({ line: `CLIENT_RANDOM ${random} ${'cd'.repeat(48)}`, at: now, source: 'openssl' })
  now += 2000
  const { report } = keys
  expect(report).toMatchObject({
    ...{ probes: 2, hits: 60, hits_per_second: 30, missed: 1, learning_failures: 1, over_budget: 3 },
    ...{ files: 4, secrets: 5, bad_lines: 6, reason: 'One. Other.' },
    log: { held: 1, waiting: 1, written: 0 },
  })
  expect(JSON.stringify(report)).not.toContain(random)
  await keys.stop()
})

it('reports how far all sources are read, after it has delivered their secrets', async () => {
  const [one, other] = [new ListedSecrets(), new ListedSecrets()]
  const seen: (number | string)[] = []
  const keys = new NodeKeys({
    sources: [one, other],
    folder: join(folder, 'tls-keys'),
    maxBytes: 1 << 20,
    log: pino({ level: 'silent' }),
    deliver: (secrets) => seen.push(...secrets.map(({ source }) => source)),
    caughtUp: (readUntil) => seen.push(readUntil),
  })
  keys.start()
  one.take!({ line: `CLIENT_RANDOM ${'ab'.repeat(32)} ${'cd'.repeat(48)}`, at: 7, source: 'openssl' })
  one.readUntil = 8
  other.readUntil = 9
  await vi.waitUntil(() => seen.includes(8))
  expect(seen.indexOf('openssl')).toBeLessThan(seen.indexOf(8))
  expect(seen).not.toContain(9)
  await keys.stop()
})
