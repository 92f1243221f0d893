import { once } from 'node:events'
import type { StreamMessage, StreamRequest } from '@tapdeck/api'
import type { CompactCall } from '@tapdeck/dissect'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

class Dashboard {
  readonly socket: WebSocket
  readonly heard: StreamMessage[] = []

  constructor(port: number, headers: Record<string, string> = {}, query = '') {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/api/stream${query}`, { headers })
    this.socket.on('message', (data) => this.heard.push(JSON.parse(String(data))))
  }

  say(request: StreamRequest | string): void {
    this.socket.send(typeof request === 'string' ? request : JSON.stringify(request))
  }

  of<Kind extends StreamMessage['kind']>(kind: Kind): Extract<StreamMessage, { kind: Kind }>[] {
    return this.heard.filter((one): one is Extract<StreamMessage, { kind: Kind }> => one.kind === kind)
  }

  async next<Kind extends StreamMessage['kind']>(kind: Kind, count = 1) {
    const all = await until(
      () => this.of(kind),
      (found) => found.length >= count,
    )
    return all[count - 1]!
  }
}

async function open(query = ''): Promise<Dashboard> {
  const dashboard = new Dashboard(hub.port, {}, query)
  await once(dashboard.socket, 'open')
  return dashboard
}

function call(path: string): CompactCall {
  const end = { ip: '10.0.0.1', port: 80 }
  return { id: `n1/1/${path}`, ts: 1, src: end, dst: end, proto: 'http', path }
}

it('tells the switch and the nodes at once, and the switch at every change', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=false'] })
  await hub.worker('n1')
  const dashboard = await open()
  expect((await dashboard.next('switch')).state.enabled).toBe(false)
  expect((await dashboard.next('nodes')).nodes).toMatchObject([{ name: 'n1', connected: true }])
  expect((await dashboard.next('filtered')).kfl).toBe('')
  await hub.send('POST', '/api/dissection/enable')
  await until(
    () => dashboard.of('switch').at(-1)?.state,
    (state) => state?.enabled === true && state.activity.dashboards === 1,
  )
})

it('subscribes workers to each filter once, however many look at it', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1')
  const [one, two] = [await open(), await open()]
  for (const dashboard of [one, two]) dashboard.say({ kind: 'filter', kfl: 'path contains "a"' })
  for (const dashboard of [one, two]) await dashboard.next('filtered', 2)
  const subscribed = await until(
    () => worker.asked.filter(({ request }) => request === 'subscribe'),
    (found) => found.length >= 2,
  )
  expect(subscribed.map(({ input }) => (input as { kfl: string }).kfl)).toEqual(['', 'path contains "a"'])
  const { subscription } = subscribed[1]!.input as { subscription: number }
  worker.say({ kind: 'calls', subscription, calls: [call('/a'), call('/ab')], skipped: 3 })
  for (const dashboard of [one, two]) {
    const { calls, skipped } = await dashboard.next('calls')
    expect([calls.map(({ path }) => path), skipped]).toEqual([['/a', '/ab'], 3])
  }
  const late = await hub.worker('n2')
  await until(
    () => late.asked.filter(({ request }) => request === 'subscribe').length,
    (count) => count === 1,
  )
  one.say({ kind: 'pause' })
  two.socket.close()
  await until(() => late.asked.some(({ request }) => request === 'unsubscribe'), Boolean)
  one.say({ kind: 'resume' })
  await until(
    () => late.asked.filter(({ request }) => request === 'subscribe').length,
    (count) => count === 2,
  )
})

it('counts sessions as activity while they are open and not paused', async () => {
  hub = await startHub()
  await hub.open()
  const dashboards = () => hub.parts.switchboard.state.activity.dashboards
  const [one, two] = [await open(), await open()]
  await until(dashboards, (count) => count === 2)
  one.say({ kind: 'pause' })
  await until(dashboards, (count) => count === 1)
  one.say({ kind: 'resume' })
  await until(dashboards, (count) => count === 2)
  two.socket.terminate()
  await until(dashboards, (count) => count === 1)
  const paused = await open('?paused=1')
  await paused.next('switch')
  expect(dashboards()).toBe(1)
  paused.socket.close()
  one.socket.close()
  await until(dashboards, (count) => count === 0)
})

it('answers a wrong filter or nonsense with a problem and keeps the filter in force', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1')
  const dashboard = await open(`?kfl=${encodeURIComponent('http')}`)
  expect((await dashboard.next('filtered')).kfl).toBe('http')
  dashboard.say({ kind: 'filter', kfl: 'path ==' })
  expect((await dashboard.next('problem')).problem).toMatchObject({ status: 400, code: 'bad_filter' })
  dashboard.say('nonsense')
  expect((await dashboard.next('problem', 2)).problem).toMatchObject({ code: 'invalid_input' })
  expect(worker.asked.filter(({ request }) => request === 'unsubscribe')).toHaveLength(0)
})

it('lets in neither a role without the right nor a foreign page', async () => {
  hub = await startHub({ set: ['tap.auth.defaultRole=svc-snapshot'] })
  await hub.open()
  const refused = async (headers: Record<string, string>) => {
    const [, response] = await once(new Dashboard(hub.port, headers).socket, 'unexpected-response')
    let text = ''
    for await (const chunk of response) text += chunk
    return [response.statusCode, JSON.parse(text).code]
  }
  expect(await refused({})).toEqual([403, 'missing_capability'])
  await hub.stop()
  hub = await startHub()
  await hub.open()
  expect(await refused({ origin: 'http://evil.example' })).toEqual([403, 'foreign_origin'])
  const friend = new Dashboard(hub.port, { origin: `http://127.0.0.1:${hub.port}` })
  await once(friend.socket, 'open')
})

it('skips calls for a reader that does not read, counts them, and tells it later', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1')
  const dashboard = await open()
  await dashboard.next('filtered')
  dashboard.socket.pause()
  const long = 'x'.repeat(20_000)
  let sent = 0
  const subscribed = await until(
    () => worker.asked.find(({ request }) => request === 'subscribe'),
    (found) => found !== undefined,
  )
  const { subscription } = subscribed!.input as { subscription: number }
  for (let i = 0; i < 40; i++) {
    worker.say({
      kind: 'calls',
      subscription,
      calls: Array.from({ length: 50 }, () => call(long)),
      skipped: 0,
    })
    sent += 50
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  dashboard.socket.resume()
  await new Promise((resolve) => setTimeout(resolve, 200))
  worker.say({ kind: 'calls', subscription, calls: [call('/last')], skipped: 0 })
  sent++
  await until(
    () => dashboard.of('calls').at(-1)?.calls.at(-1)?.path,
    (path) => path === '/last',
  )
  const told = dashboard.of('calls').reduce((sum, { calls, skipped }) => sum + calls.length + skipped, 0)
  expect(told).toBe(sent)
  expect(dashboard.of('calls').reduce((sum, { skipped }) => sum + skipped, 0)).toBeGreaterThan(0)
})

it('says when snapshots change', async () => {
  hub = await startHub()
  await hub.open()
  const dashboard = await open()
  hub.parts.snapshots.emit('change')
  hub.parts.snapshots.emit('change')
  expect((await dashboard.next('changed')).what).toBe('snapshots')
})
