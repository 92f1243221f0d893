import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const dormant = ['tap.capture.dissection.enabled=false']

it('announces each change, and repeating one is a success', async () => {
  hub = await startHub({ set: dormant })
  const worker = await hub.worker('n1')
  expect((await hub.get('/mcp/dissection')).json).toEqual({ enabled: false })
  for (let i = 0; i < 2; i++) {
    expect((await hub.send('POST', '/mcp/dissection/enable')).json).toEqual({ success: true, enabled: true })
    expect(worker.report.indexing).toBe(true)
  }
  for (let i = 0; i < 2; i++) {
    expect((await hub.send('POST', '/mcp/dissection/disable')).json).toEqual({
      success: true,
      enabled: false,
    })
    expect(worker.report.indexing).toBe(false)
  }
  const { json } = await hub.get('/api/dissection')
  expect(json).toMatchObject({
    enabled: false,
    by: 'anonymous',
    reason: 'request',
    stop_after: '5m',
    idle_since: null,
    pauses_at: null,
    activity: { dashboards: 0, recordings: 0, agents: 0 },
  })
  expect((await hub.get('/mcp/dissection/changes')).json.changes).toMatchObject([
    { enabled: false, by: 'anonymous', door: 'mcp', reason: 'request' },
    { enabled: true },
    { enabled: false, by: 'configuration', door: 'start', reason: 'start' },
  ])
})

it('is a success only once every connected worker has applied it', async () => {
  hub = await startHub({ set: dormant })
  await hub.worker('n1')
  let fail = true
  const second = await hub.worker('n2', {
    indexing: (input) => {
      if (fail && input.enabled) throw { status: 500, code: 'internal', detail: 'no memory' }
      return input
    },
  })
  expect((await hub.send('POST', '/api/dissection/enable')).json).toEqual({ success: false, enabled: true })
  fail = false
  expect((await hub.send('POST', '/api/dissection/enable')).json).toEqual({ success: true, enabled: true })
  expect(second.report.indexing).toBe(true)
})

it('is no success where a worker answers that it is in the other state', async () => {
  hub = await startHub({ set: dormant })
  await hub.worker('n1', { indexing: () => ({ enabled: false }) })
  expect((await hub.send('POST', '/api/dissection/enable')).json).toEqual({ success: false, enabled: true })
})

it('waits for a slow worker, and not for one that goes away', async () => {
  hub = await startHub({ set: dormant })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = await hub.worker('n1', {
    indexing: async (input) => {
      if (input.enabled) await released
      return input
    },
  })
  let done = false
  const turning = hub.send('POST', '/api/dissection/enable').then((answer) => {
    done = true
    return answer
  })
  await until(
    () => slow.asked.some(({ input }) => (input as { enabled?: boolean }).enabled === true),
    Boolean,
  )
  expect(done).toBe(false)
  release()
  expect((await turning).json.success).toBe(true)

  const hanging = await hub.worker('n2', {
    indexing: (input) => (input.enabled ? input : new Promise(() => {})),
  })
  const pausing = hub.send('POST', '/api/dissection/disable')
  await until(
    () => hanging.asked.some(({ input }) => (input as { enabled?: boolean }).enabled === false),
    Boolean,
  )
  hanging.close()
  expect((await pausing).json).toEqual({ success: true, enabled: false })
})

it('brings a worker back that reports another state than the wanted one', async () => {
  hub = await startHub({ set: dormant })
  const worker = await hub.worker('n1')
  const asked = () => worker.asked.filter(({ request }) => request === 'indexing')
  await until(asked, ({ length }) => length === 1)
  // A report that arrives before the answer of the worker is ignored, so there are several.
  await until(
    () => {
      worker.sendReport({ indexing: true })
      return asked()
    },
    ({ length }) => length > 1,
  )
  expect(asked()[1]?.input).toEqual({ enabled: false })
})

it('pauses by the real clock after stopAfter, but not while a dashboard streams', async () => {
  hub = await startHub({
    set: [...dormant, 'tap.capture.dissection.stopAfter=1s'],
  })
  const worker = await hub.worker('n1')
  const stream = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`)
  await once(stream, 'open')
  await until(
    () => hub.services.switchboard.state.activity.dashboards,
    (count) => count === 1,
  )
  // Enabled only now, so that a slow start is no inactivity.
  await hub.send('POST', '/api/dissection/enable')
  // No time is set at which it pauses, so no timer runs.
  expect((await hub.get('/api/dissection')).json).toMatchObject({ enabled: true, pauses_at: null })
  stream.send(JSON.stringify({ kind: 'pause' }))
  await until(
    () => hub.services.switchboard.enabled,
    (enabled) => !enabled,
  )
  expect(hub.services.switchboard.state.reason).toBe('inactivity')
  await until(
    () => worker.report.indexing,
    (indexing) => !indexing,
  )
  stream.close()
})

it('never pauses with stopAfter 0', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true', 'tap.capture.dissection.stopAfter=0'] })
  expect((await hub.get('/api/dissection')).json).toMatchObject({ stop_after: '0', pauses_at: null })
})

it('counts an assistant as activity only where the operator says so', async () => {
  for (const [counts, moves] of [
    ['false', false],
    ['true', true],
  ] as const) {
    hub = await startHub({ set: [`tap.capture.dissection.mcpCountsAsActivity=${counts}`] })
    const before = hub.services.switchboard.state.pauses_at
    await new Promise((resolve) => setTimeout(resolve, 5))
    await hub.get('/mcp/dissection')
    expect(hub.services.switchboard.state.pauses_at !== before).toBe(moves)
    await hub.stop()
  }
})

it('is woken and paused by a changed file, and a broken file changes nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-values-'))
  const file = join(folder, 'values.yaml')
  const write = (enabled: boolean, stopAfter = '5m') =>
    writeFile(
      file,
      `tap:\n  capture:\n    dissection:\n      enabled: ${enabled}\n      stopAfter: ${stopAfter}\n`,
    )
  await write(false)
  hub = await startHub({ files: [file] })
  expect(hub.services.switchboard.enabled).toBe(false)
  await write(true)
  await until(
    () => hub.services.switchboard.enabled,
    (enabled) => enabled,
  )
  expect(hub.services.switchboard.state).toMatchObject({ reason: 'configuration', by: 'configuration' })
  await write(true, '7m')
  await hub.reload()
  expect(hub.services.switchboard.state.stop_after).toBe('7m')
  await writeFile(file, 'tap: {capture: {dissection: {enabled: false, stopafter: 1m}}}')
  await hub.reload()
  expect(hub.services.switchboard.enabled).toBe(true)
  expect(hub.logged.join('')).toContain('tap.capture.dissection.stopafter')
  await write(false)
  await hub.reload()
  expect(hub.services.switchboard.enabled).toBe(false)
  await rm(folder, { recursive: true })
})

it('says that a restart ended the pause of a user, until the next change', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-pause-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const restart = async () => {
    await hub.stop()
    hub = await startHub({ folder })
  }
  hub = await startHub({ folder })
  await hub.send('POST', '/api/dissection/disable')
  await restart()
  const { json } = await hub.get('/api/dissection')
  expect(json).toMatchObject({ enabled: true, reason: 'start', ended_pause: { by: 'anonymous' } })
  expect(hub.logged.join('')).toContain('a restart ends a pause')
  await restart()
  expect((await hub.get('/api/dissection')).json).not.toHaveProperty('ended_pause')
  await hub.send('POST', '/api/dissection/disable')
  await restart()
  await hub.send('POST', '/api/dissection/disable')
  expect((await hub.get('/api/dissection')).json).not.toHaveProperty('ended_pause')
})
