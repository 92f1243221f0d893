import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lockFolder } from './folder-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.skipIf(process.platform !== 'linux')('a folder is used by one process at a time', async () => {
  await lockFolder(folder)
  await expect(lockFolder(`${folder}/../${folder.split('/').at(-1)}`, 50)).rejects.toThrow(/another worker/)
})
