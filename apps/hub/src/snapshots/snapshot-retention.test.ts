import { rm } from 'node:fs/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { type RetentionPolicy, SnapshotRetention } from './snapshot-retention.ts'

let thread: URL
let hub: TestHub
beforeAll(async () => {
  thread = await bundleThread()
})
afterAll(() => rm(thread))
afterEach(() => hub?.stop())

const bytes = captureFile(httpPackets({ requests: 10 }))
const bring = (name: string, query = '') => hub.send('POST', `/api/snapshots/${name}/import${query}`, bytes)
const names = async () =>
  (await hub.get('/api/snapshots')).json.snapshots.map((one: { name: string }) => one.name)

function retention(policy: RetentionPolicy, later = 0): SnapshotRetention {
  const { snapshots, dissections } = hub.services
  const log = pino({ level: 'silent' })
  return new SnapshotRetention({ snapshots, dissections, log, now: () => Date.now() + later }, policy)
}

async function dissected(snapshot: string): Promise<void> {
  await hub.send('POST', '/delayed_dissection.DelayedDissection/Start', {
    snapshot_name: snapshot,
    dissection_name: 'd',
  })
  await until(
    () => hub.get(`/mcp/dissections/${snapshot}/d`),
    ({ json }) => json.status === 'completed',
  )
}

describe('retention', () => {
  it('removes what is too old, but nothing that is tagged keep or still being made', async () => {
    hub = await startHub()
    await bring('old')
    await bring('kept')
    await bring('unfinished', '?more=true')
    await hub.send('PATCH', '/api/snapshots/kept', { tags: ['keep'] })
    await retention({ maxAgeMs: 3_600_000 }).sweep()
    expect(await names()).toHaveLength(3)
    await retention({ maxAgeMs: 3_600_000 }, 3_700_000).sweep()
    expect((await names()).toSorted()).toEqual(['kept', 'unfinished'])
  })

  it('removes the oldest first until the rest fits', async () => {
    hub = await startHub()
    for (const name of ['a', 'b', 'c']) {
      await bring(name)
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    await retention({ maxBytes: bytes.length * 2 }).sweep()
    expect(await names()).toEqual(['c', 'b'])
    expect(hub.services.snapshots.room.used).toBe(bytes.length * 2)
  })
})

describe('a snapshot', () => {
  it('is renamed with its dissections, tagged and commented', async () => {
    hub = await startHub({ thread })
    await bring('s')
    await bring('taken')
    await dissected('s')
    expect(
      (await hub.send('PATCH', '/mcp/snapshots/s', { tags: ['x', 'x', 'y'], notes: 'hm' })).json,
    ).toMatchObject({
      name: 's',
      tags: ['x', 'y'],
      notes: 'hm',
      source: 'import',
    })
    expect((await hub.send('PATCH', '/api/snapshots/s', { new_name: 'taken' })).json).toMatchObject({
      status: 409,
    })
    expect((await hub.get('/mcp/calls?db=s/d&limit=1')).json.total).toBe(10)
    expect((await hub.send('PATCH', '/api/snapshots/s', { new_name: 'incident-7' })).json).toMatchObject({
      name: 'incident-7',
      tags: ['x', 'y'],
    })
    expect((await hub.get('/api/snapshots/s')).status).toBe(404)
    const { json } = await hub.get('/mcp/calls?db=incident-7/d&limit=1&format=full')
    expect(json.total).toBe(10)
    expect(json.calls[0].capture_source).toBe('file')
    for (const [body, status] of [
      [{ new_name: '../x' }, 400],
      [{ tags: ['a b'] }, 400],
      [{ colour: 'red' }, 400],
      [{ notes: 'x'.repeat(10_001) }, 400],
    ] as const)
      expect((await hub.send('PATCH', '/api/snapshots/incident-7', body)).status).toBe(status)
    expect((await hub.send('PATCH', '/api/snapshots/nope', { notes: '' })).status).toBe(404)
    const { folder } = hub
    await hub.close()
    hub = await startHub({ thread, folder })
    expect((await hub.get('/mcp/calls?db=incident-7/d&limit=1')).json.total).toBe(10)
    expect((await hub.get('/api/snapshots/incident-7')).json.notes).toBe('hm')
  })
})
