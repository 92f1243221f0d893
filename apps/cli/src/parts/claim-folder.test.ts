import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { claimFolder } from './claim-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-claim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.runIf(process.platform === 'linux')('a claimed folder is refused, by whichever path', async () => {
  const data = join(folder, 'data')
  const release = await claimFolder(data)
  symlinkSync(data, join(folder, 'link'))
  for (const path of [data, join(folder, 'link')])
    await expect(claimFolder(path)).rejects.toThrow('another hub is using')
  release()
  const again = await claimFolder(data)
  again()
})

test('a folder that cannot be made is told', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(claimFolder(join(folder, 'file', 'data'))).rejects.toThrow('cannot use')
})
