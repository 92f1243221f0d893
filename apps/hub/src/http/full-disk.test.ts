import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

// A small disk needs a mount.
describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a hub on a full disk (needs root)',
  () => {
    const disk = mkdtempSync(join(tmpdir(), 'tapdeck-full-'))
    const filler = join(disk, 'filler')
    const agent = { name: 'watch', kfl: '', enabled: false, actions: [{ kind: 'log' }] }
    let hub: TestHub

    beforeAll(async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
      hub = await startHub({ folder: disk })
    })
    afterAll(async () => {
      await hub.stop()
      execFileSync('umount', [disk])
      rmSync(disk, { recursive: true })
    })

    it('says so in /readyz, refuses what it cannot store with 507, and goes on once there is space', async () => {
      expect((await hub.get('/readyz')).json).toMatchObject({ ready: true, storage: true })
      fill(filler)
      const { status, json } = await until(
        () => hub.get('/readyz'),
        (answer) => !answer.json.storage,
      )
      expect([status, json.ready]).toEqual([503, false])

      const refused = await hub.send('POST', '/api/agents', agent)
      expect([refused.status, refused.json.code]).toEqual([507, 'no_room'])
      const names = { pods: [{ name: 'p', namespace: 'n', ips: ['10.0.0.1'] }], services: [] }
      expect((await hub.send('PUT', '/api/inventory', names)).status).toBe(507)
      expect((await hub.get('/api/agents')).json.agents).toEqual([])
      expect((await hub.get('/api/inventory')).json.pods).toEqual([])

      rmSync(filler)
      await until(
        () => hub.get('/readyz'),
        (answer) => answer.json.storage,
      )
      expect((await hub.send('POST', '/api/agents', agent)).status).toBe(201)
    })
  },
)

function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(4096))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
