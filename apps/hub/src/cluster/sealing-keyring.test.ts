import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRecords, sealRecord } from '@tapdeck/tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderState } from '../state/folder-state.ts'
import { KEYRING_DOCUMENT, SealingKeyring } from './sealing-keyring.ts'

const DAY = 86_400_000
let folder: string
let file: string
let now: number
const state = () => new FolderState(folder, { [KEYRING_DOCUMENT]: file })
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-keyring-'))
  file = join(folder, 'keys.json')
  now = 1_800_000_000_000
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the key survives a restart in a private file', async () => {
  const { keys } = await SealingKeyring.open(state(), () => now)
  expect(keys).toHaveLength(1)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await SealingKeyring.open(state(), () => now)).keys).toEqual(keys)
})

test('a rotation seals with a new key, and what the old one sealed still opens', async () => {
  const keyring = await SealingKeyring.open(state(), () => now)
  const sealed = sealRecord(keyring.sealing, Buffer.from('before'))
  expect(await keyring.rotate()).toBe(false)
  now += 8 * DAY
  expect(await keyring.rotate()).toBe(true)
  expect(keyring.keys).toHaveLength(2)
  const both = Buffer.concat([sealed, sealRecord(keyring.sealing, Buffer.from('after'))])
  const again = await SealingKeyring.open(state(), () => now)
  expect(openRecords(both, again.opening).records.map(String)).toEqual(['before', 'after'])
  expect(keyring.sealing.id).not.toBe(both.toString('hex', 4, 12))
})

test('a damaged file stops the start instead of replacing the keys', async () => {
  writeFileSync(file, '{"keys":[]}')
  await expect(SealingKeyring.open(state(), () => now)).rejects.toThrow(/restore the file/)
})
