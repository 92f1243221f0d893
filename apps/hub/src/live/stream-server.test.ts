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

it('sends the switch and the nodes at once, and the switch at every change', async () => {
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
  const dashboards = () => hub.services.switchboard.state.activity.dashboards
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

it('skips calls for a reader that does not read, counts them, and reports it later', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1')
  const dashboard = await open()
  await dashboard.next('filtered')
  dashboard.socket.pause()
  // All that the hub collects before it sends is less than what it drops a session for, however slow the machine is.
  const long = 'x'.repeat(5000)
  let sent = 0
  const subscribed = await until(
    () => worker.asked.find(({ request }) => request === 'subscribe'),
    (found) => found !== undefined,
  )
  const { subscription } = subscribed!.input as { subscription: number }
  // More than the buffers of the kernel hold.
  for (let i = 0; i < 24; i++) {
    worker.say({
      kind: 'calls',
      subscription,
      calls: Array.from({ length: 200 }, () => call(long)),
      skipped: 0,
    })
    sent += 200
    // A reader that is alive: the hub drops one that it has not heard of for ten seconds.
    dashboard.socket.pong()
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  dashboard.socket.resume()
  const isLast = () => dashboard.of('calls').at(-1)?.calls.at(-1)?.path === '/last'
  while (!isLast()) {
    worker.say({ kind: 'calls', subscription, calls: [call('/last')], skipped: 0 })
    sent++
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  const received = () =>
    dashboard.of('calls').reduce((sum, { calls, skipped }) => sum + calls.length + skipped, 0)
  await expect.poll(received).toBe(sent)
  expect(dashboard.of('calls').reduce((sum, { skipped }) => sum + skipped, 0)).toBeGreaterThan(0)
})

it('says when snapshots change', async () => {
  hub = await startHub()
  await hub.open()
  const dashboard = await open()
  hub.services.snapshots.emit('change')
  hub.services.snapshots.emit('change')
  expect((await dashboard.next('changed')).what).toBe('snapshots')
})

it('reads only so many messages a second, and closes a session that does not stop', async () => {
  hub = await startHub()
  await hub.open()
  const dashboard = await open()
  const closed = once(dashboard.socket, 'close')
  const junk = JSON.stringify({ kind: 'filter', kfl: 'a.' })
  for (let message = 0; message < 1500; message++) dashboard.say(junk)
  const [code] = await closed
  expect(code).toBe(1008)
  const problems = dashboard.of('problem').map(({ problem }) => problem)
  // On a slow machine some are accepted in between, and the next refusal is reported again.
  expect(problems.find((problem) => problem.code === 'too_many_messages')).toMatchObject({
    status: 429,
    limit: 5,
    hint: expect.stringMatching(/\.$/),
  })
  expect(problems.length).toBeLessThan(50)
  const { text } = await hub.get('/metrics')
  expect(Number(/^tapdeck_stream_messages_refused_total (\d+)/m.exec(text)?.[1])).toBeGreaterThan(200)
})

it('refuses a filter that is too long with the limit, and a message that is larger than any filter', async () => {
  hub = await startHub()
  await hub.open()
  const dashboard = await open()
  dashboard.say({ kind: 'filter', kfl: 'a'.repeat(9000) })
  expect((await dashboard.next('problem')).problem).toMatchObject({
    status: 400,
    code: 'filter_too_large',
    limit: 8192,
  })
  const closed = once(dashboard.socket, 'close')
  dashboard.say('x'.repeat(70_000))
  expect((await closed)[0]).toBe(1009)
})

it('a node that floods does not push the calls of others out, and what is left out is counted', async () => {
  hub = await startHub()
  const flooding = await hub.worker('n1')
  await hub.worker('n2')
  const dashboard = await open()
  const subscribed = await until(
    () => flooding.asked.find(({ request }) => request === 'subscribe'),
    (found) => found !== undefined,
  )
  const { subscription } = subscribed!.input as { subscription: number }
  const own = (at: number): CompactCall => ({ ...call(`/${at}`), id: `n2/1/${at}` })
  const calls = Array.from({ length: 3000 }, (_, at) => call(`/flood-${at}`))
  const { workers } = hub.services
  const [n1, n2] = workers.connected
  // In the same moment, so that both are in one batch.
  workers.emit('calls', n1!, { kind: 'calls', subscription, calls, skipped: 0 })
  workers.emit('calls', n2!, { kind: 'calls', subscription, calls: [own(1), own(2)], skipped: 0 })
  const heard = () => dashboard.of('calls').flatMap((message) => message.calls)
  await until(
    () => heard().filter(({ id }) => id.startsWith('n2/')).length,
    (count) => count === 2,
  )
  const total = () => heard().length + dashboard.of('calls').reduce((sum, { skipped }) => sum + skipped, 0)
  await until(total, (count) => count === 3002)
  expect(heard()).toHaveLength(1000)
})
