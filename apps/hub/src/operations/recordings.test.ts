import { afterEach, describe, expect, it } from 'vitest'
import { idleReport } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const start = (body: object, headers?: Record<string, string>) =>
  hub.send('POST', '/api/recordings', body, headers)
const database = (dissection_name: string) => ({ snapshot_name: 'rec-one', dissection_name })
const activity = async () => (await hub.get('/api/dissection')).json

describe('recordings by HTTP', () => {
  it('are started, listed, stopped and deleted, and count as activity while they run', async () => {
    hub = await startHub()
    const { status, json } = await start({ name: 'one', kfl: 'http', duration: '90s', max_size: '2Mi' })
    expect([status, json.status]).toEqual([201, 'running'])
    expect(json).toMatchObject({
      kfl: 'http',
      duration: '1m30s',
      max_bytes: 2 * 2 ** 20,
      gaps: [],
      nodes: [],
    })
    expect(await activity()).toMatchObject({ activity: { recordings: 1 }, pauses_at: null })
    expect((await hub.get('/mcp/recordings')).json.recordings).toHaveLength(1)
    expect((await hub.send('DELETE', '/api/recordings/one')).json.code).toBe('busy')
    expect((await hub.send('POST', '/api/recordings/one/stop')).json).toMatchObject({
      status: 'stopped',
      ended_by: 'request',
    })
    expect((await activity()).activity.recordings).toBe(0)
    expect((await hub.send('POST', '/api/recordings/one/stop')).json.code).toBe('not_running')
    expect((await hub.send('DELETE', '/api/recordings/one')).json).toEqual({ success: true, name: 'one' })
    expect((await hub.get('/api/recordings/one')).status).toBe(404)
  })

  it('begin at a time that has a date, so that they can be shown', async () => {
    hub = await startHub()
    for (const far of [1e16, '9999999999999999', 1e300])
      expect((await start({ name: 'far', start: far })).json.code).toBe('invalid_input')
    expect((await start({ name: 'late', start: '9999-12-31T23:59:59Z' })).json.status).toBe('scheduled')
    expect((await hub.get('/api/recordings')).json.recordings).toHaveLength(1)
  })

  it('do not turn indexing on, unless a caller with the capability asks for it', async () => {
    hub = await startHub({
      set: [
        'tap.auth.enabled=true',
        'tap.capture.dissection.enabled=false',
        'tap.auth.roles.keeper.capabilities={settings:write,snapshot:read}',
      ],
    })
    const { headers } = giveToken(hub.folder, 'svc-admin')
    const keeper = giveToken(hub.folder, 'keeper').headers
    const enabled = async () => (await hub.get('/api/dissection', headers)).json.enabled
    expect((await start({ name: 'quiet' }, keeper)).status).toBe(201)
    expect(await enabled()).toBe(false)
    const refused = await start({ name: 'loud', resume_indexing: true }, keeper)
    expect([refused.status, refused.json.missing]).toEqual([403, 'dissection:control'])
    expect((await start({ name: 'loud', resume_indexing: true }, headers)).status).toBe(201)
    expect(await enabled()).toBe(true)
  })

  it('survive a restart of the hub', async () => {
    hub = await startHub()
    await start({ name: 'now' })
    await start({ name: 'later', start: Date.now() + 3_600_000 })
    const { folder } = hub
    await hub.close()
    hub = await startHub({ folder })
    const { recordings } = (await hub.get('/api/recordings')).json
    expect(recordings).toMatchObject([
      { name: 'later', status: 'scheduled' },
      { name: 'now', status: 'running' },
    ])
    expect((await activity()).activity.recordings).toBe(1)
  })

  it.each([
    [{ name: 'UPPER' }, 400],
    [{ name: 'a'.repeat(61) }, 400],
    [{ name: 'x', kfl: 'nonsense ==' }, 400],
    [{ name: 'x', kfl: 5 }, 400],
    [{ name: 'x', duration: 'long' }, 400],
    [{ name: 'x', duration: '0s' }, 400],
    [{ name: 'x', max_size: 'big' }, 400],
    [{ name: 'x', max_size: -1 }, 400],
    [{ name: 'x', max_size: '9e99' }, 400],
    [{ name: 'x', start: 'tomorrow' }, 400],
    [{ name: 'x', filter: 'http' }, 400],
    [{ name: 'taken' }, 409],
    [{}, 400],
  ])('refuse %j with %i', async (body, status) => {
    hub = await startHub()
    await start({ name: 'taken' })
    expect((await start(body)).status).toBe(status)
  })

  it('are not destroyed through their snapshot by a role that may not delete recordings', async () => {
    hub = await startHub({ set: ['tap.auth.enabled=true'] })
    const admin = giveToken(hub.folder, 'svc-admin').headers
    const keeper = giveToken(hub.folder, 'svc-snapshot').headers
    const capture = captureFile(
      httpPackets({ client: '10.0.0.1', server: '10.0.0.2', mark: 'x', start: 1, requests: 1 }),
    )
    await hub.worker(
      'n1',
      {
        async window(_input, worker, id) {
          await worker.piece(id, capture)
          const size_bytes = capture.length
          return { packet_count: 9, size_bytes, dropped_packets: 0, start_ts: 1, end_ts: 2, partial: false }
        },
      },
      { recording: { ...idleReport.recording, newest_ts: Date.now() + 60_000 } },
    )
    await start({ name: 'one' }, admin)
    await hub.send('POST', '/api/recordings/one/stop', undefined, admin)
    await until(
      () => hub.get('/api/recordings/one', admin),
      ({ json }) => json.db_status !== undefined && json.db_status !== 'pending',
    )
    const refused = [
      await hub.send('DELETE', '/api/snapshots/rec-one?force=true', undefined, keeper),
      await hub.send('PATCH', '/api/snapshots/rec-one', { new_name: 'mine' }, keeper),
      await hub.send('DELETE', '/api/dissections/rec-one/calls', undefined, keeper),
      await hub.send('POST', '/api/dissections/rec-one/calls/stop', undefined, keeper),
      await hub.send('POST', '/api/dissections', { ...database('calls'), kfl: 'redis' }, keeper),
    ]
    for (const { status, json } of refused)
      expect([status, json.missing, json.recording]).toEqual([403, 'settings:write', 'one'])
    expect((await hub.send('PATCH', '/api/snapshots/rec-one', { notes: 'seen' }, keeper)).status).toBe(200)
    expect((await hub.get('/api/snapshots/rec-one', admin)).json.status).toBe('completed')
    await until(
      () => hub.get('/api/dissections/rec-one/calls', admin),
      ({ json }) => json.status === 'failed',
    )
    // Deleted by a caller who may: it still is not for others to put another one in its place.
    expect((await hub.send('DELETE', '/api/dissections/rec-one/calls', undefined, admin)).status).toBe(200)
    const another = await hub.send('POST', '/api/dissections', database('calls'), keeper)
    expect([another.status, another.json.missing]).toEqual([403, 'settings:write'])
    expect((await hub.send('POST', '/api/dissections', database('own'), keeper)).status).toBe(200)
    await hub.send('POST', '/api/snapshots/rec-two/import?node=n1', capture, keeper)
    expect((await hub.send('DELETE', '/api/snapshots/rec-two', undefined, keeper)).status).toBe(200)
    expect((await hub.send('DELETE', '/api/recordings/one', undefined, admin)).status).toBe(200)
    expect((await hub.get('/api/snapshots/rec-one', admin)).status).toBe(404)
  })

  it('keep the name of their snapshot for callers who may delete recordings', async () => {
    hub = await startHub({ set: ['tap.auth.enabled=true'] })
    const admin = giveToken(hub.folder, 'svc-admin').headers
    const keeper = giveToken(hub.folder, 'svc-snapshot').headers
    await start({ name: 'one' }, admin)
    const capture = captureFile(httpPackets({ requests: 1, mark: 'x' }))
    await hub.send('POST', '/api/snapshots/other/import?node=n1', capture, keeper)
    const refused = [
      await hub.send('POST', '/api/snapshots', { name: 'rec-one', duration: '1m' }, keeper),
      await hub.send('POST', '/api/snapshots/rec-one/import?node=n1', capture, keeper),
      await hub.send('PATCH', '/api/snapshots/other', { new_name: 'rec-one' }, keeper),
      await hub.send('POST', '/api/capture-and-dissect', { name: 'rec-one' }, keeper),
    ]
    for (const { status, json } of refused)
      expect([status, json.missing, json.recording]).toEqual([403, 'settings:write', 'one'])
  })

  it('answer 507 where there is no room at all', async () => {
    hub = await startHub({ set: ['tap.snapshots.local.storageSize=1Ki'] })
    const { status, json } = await start({ name: 'one' })
    expect([status, json.code]).toEqual([507, 'no_room'])
  })
})
