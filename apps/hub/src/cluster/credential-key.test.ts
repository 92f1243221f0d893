import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderState } from '../state/folder-state.ts'
import { startHub, until } from '../testing/start-hub.ts'
import { openCredentialKey } from './credential-key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-credential-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the key is made once, in a private file, and a damaged one is not replaced', async () => {
  const key = await openCredentialKey(new FolderState(folder))
  const file = join(folder, 'credential-key.json')
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await openCredentialKey(new FolderState(folder))).toBe(key)
  writeFileSync(file, '{"key":"short"}')
  await expect(openCredentialKey(new FolderState(folder))).rejects.toThrow(
    /cannot read the key.*credential-key/,
  )
})

test('a worker that joins gets the key before it is asked to index', async () => {
  const hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  try {
    const worker = await hub.worker('n1')
    const requests = () => worker.asked.map(({ request }) => request)
    await until(requests, (asked) => asked.includes('indexing'))
    expect(requests().indexOf('credential_key')).toBeGreaterThanOrEqual(0)
    expect(requests().indexOf('credential_key')).toBeLessThan(requests().indexOf('indexing'))
  } finally {
    await hub.stop()
  }
})
