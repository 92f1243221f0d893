import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const OPEN = '/proc/self/fd'
let hub: TestHub
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-imports-'))
})
afterEach(async () => {
  await hub?.stop()
  rmSync(folder, { recursive: true })
})

function openHere(): string[] {
  return readdirSync(OPEN).flatMap((number) => {
    try {
      const path = readlinkSync(join(OPEN, number))
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
}

it.skipIf(!existsSync(OPEN))('an import by path that is refused does not keep its file open', async () => {
  hub = await startHub({ set: [`tap.snapshots.importFolder=${folder}`] })
  writeFileSync(join(folder, 'a.pcapng'), captureFile(httpPackets({ requests: 10 })))
  const send = () => hub.send('POST', '/api/snapshots/s/import?path=a.pcapng')
  expect((await send()).status).toBe(201)
  for (let i = 0; i < 3; i++) expect((await send()).status).toBe(409)
  // Files are opened and closed by other threads.
  await expect.poll(openHere).toEqual([])
})
