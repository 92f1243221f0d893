import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startHub, until } from '../testing/start-hub.ts'

it('a snapshot that is being made when the hub ends says so, not that it was cancelled', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-interrupted-'))
  try {
    const hub = await startHub({ folder })
    let isAsked = false
    await hub.worker('n1', {
      hand_over() {
        isAsked = true
        return new Promise(() => undefined)
      },
    })
    await hub.send('POST', '/mcp/snapshots', { name: 's', duration: '1m' })
    await until(
      () => isAsked,
      (is) => is,
    )
    await hub.stop()
    const again = await startHub({ folder })
    const { json } = await again.get('/mcp/snapshots/s')
    expect(json).toMatchObject({ status: 'failed', error: expect.stringMatching(/interrupted: the hub/) })
    await again.stop()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
