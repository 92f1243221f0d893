import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { jobsOf } from '../testing/jobs-of.ts'
import { type StartOptions, startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const thread = threadForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const { importFile, dissect, calls, asPipe } = jobsOf(() => hub)

async function start(options: StartOptions = {}): Promise<void> {
  hub = await startHub({ thread: thread(), ...options })
}

describe('a dissection', () => {
  it('finds every call of a snapshot, and answers about them', async () => {
    await start()
    hub.services.directory.set('test', {
      pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.1'] }],
      services: [{ name: 'orders', namespace: 'shop', ips: ['10.0.0.2'] }],
    })
    await importFile('s1', captureFile(httpPackets({ requests: 200 })))
    const done = await dissect('s1', 'all')
    expect(done).toMatchObject({
      status: 'completed',
      progress: 100,
      call_count: 200,
      flow_count: 20,
      protocol_counts: { http: 200 },
      loss: {},
      errors: [],
    })
    expect(done.packet_count).toBeGreaterThan(800)
    expect(done.bytes).toBeGreaterThan(done.packet_count * 50)
    expect((await hub.get('/delayed_dissection.DelayedDissection/GetStatus')).json).toEqual(done)
    expect((await hub.send('POST', '/delayed_dissection.DelayedDissection/GetStatus', {})).json).toEqual(done)

    const { json: fails } = await calls(
      's1/all',
      'src.pod == "cart-1" and response.status == 500',
      '&limit=1000',
    )
    expect(fails).toMatchObject({ total: 20, truncated: false })
    expect(fails.indexing).toBeUndefined()
    for (const call of fails.calls)
      expect(call).toMatchObject({
        status: 500,
        proto: 'http',
        src: { pod: 'cart-1' },
        dst: { svc: 'orders' },
      })
    const { json: cel } = await calls('s1/all', 'http && status_code == 500 && path.startsWith("/shop/")')
    expect(cel.calls).toEqual(fails.calls)

    const { json: full } = await calls('s1/all', 'request.path == "/shop/orders/7"', '&format=full')
    expect(full.calls[0]).toMatchObject({
      request: { headers: { 'x-mark': 'shop' }, method: 'GET' },
      response: { status: 200, body: '{"mark":"shop","at":7}' },
      tcp_handshake_p99_us: expect.any(Number),
    })
    const { json: raw } = await calls('s1/all', 'request.path == "/shop/orders/7"', '&format=raw')
    expect(raw.calls[0]).toMatchObject({ worker: 'import', request: { method: 'GET' } })
    const { json: one } = await hub.get(`/mcp/calls/${full.calls[0].id}?db=s1/all`)
    const { timeline, ...rest } = one
    expect(rest).toEqual(full.calls[0])
    expect(timeline.map(({ what }: { what: string }) => what)).toEqual(['request', 'first_byte', 'response'])
    expect((await hub.get('/mcp/calls/import/1/2?db=s1/all')).status).toBe(404)
    expect((await hub.get('/mcp/calls/nonsense?db=s1/all')).status).toBe(404)

    const { json: stats } = await hub.get('/mcp/stats?db=s1/all')
    expect(stats.groups[0]).toMatchObject({ calls: 200, errors: 20 })
    const { json: flows } = await hub.get('/mcp/flows?db=s1/all&limit=5')
    expect(flows).toMatchObject({
      total: 1,
      truncated: false,
      flows: [{ proto: 'tcp', server: { port: 80 } }],
    })
    expect(Object.keys(flows.flows[0])).toEqual([
      'proto',
      'client',
      'server',
      'client_stats',
      'server_stats',
      'totals',
      'flows',
      'start_ts',
      'last_ts',
    ])
    expect(flows.flows[0].client_stats).not.toHaveProperty('tx_pps')
    const rates = {
      tx_pps: expect.any(Number),
      rx_pps: expect.any(Number),
      tx_bps: expect.any(Number),
      rx_bps: expect.any(Number),
      timestamp: expect.any(Number),
    }
    const sides = { client_stats: rates, server_stats: rates }
    const { json: fullFlows } = await hub.get('/mcp/flows?db=s1/all&format=full')
    expect(fullFlows.flows).toMatchObject([sides])
    expect(fullFlows.flows[0]).not.toHaveProperty('worker')
    expect((await hub.get('/mcp/flows?db=s1/all&format=raw')).json.flows).toMatchObject([
      { ...sides, flows: 20, worker: 'import', start_ts: 1_700_000_000_000 },
    ])
    expect((await hub.get('/mcp/flows/summary?db=s1/all')).json).toMatchObject({
      total_flows: 1,
      tcp_flows: 1,
      unique_clients: 1,
      by_namespace: { shop: 1 },
      cross_namespace: [],
      top_by_bytes: [{ client_pod: 'cart-1', server_pod: 'orders' }],
      truncated: false,
    })
    const { json: databases } = await hub.get('/mcp/databases')
    expect(databases.databases).toMatchObject([
      { type: 'dissection', snapshot: 's1', name: 'all', status: 'completed', entry_count: 200 },
    ])
    expect(databases.databases[0].first_ts).toBeGreaterThan(1_699_999_999_000)
  })

  it('is paged through without a gap or a repeat', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 95 })))
    await dissect('s1', 'all')
    for (const [order, limit] of [
      ['newest', 7],
      ['oldest', 40],
    ] as const) {
      const seen: string[] = []
      let cursor = ''
      do {
        const { json } = await calls('s1/all', 'http', `&limit=${limit}&order=${order}${cursor}`)
        seen.push(...json.calls.map(({ path }: { path: string }) => path))
        expect(json.total).toBe(95)
        expect(json.truncated).toBe(json.next_cursor !== null)
        cursor = json.next_cursor ? `&cursor=${encodeURIComponent(json.next_cursor)}` : ''
      } while (cursor !== '')
      const paths = Array.from({ length: 95 }, (_, at) => `/shop/${at % 10 === 0 ? 'fail' : 'orders'}/${at}`)
      expect(seen).toEqual(order === 'newest' ? paths.toReversed() : paths)
    }
    expect((await calls('s1/all', '', '&cursor=abc')).json).toMatchObject({ status: 400, code: 'bad_cursor' })
  })

  it('of several nodes is one list, each call under its node', async () => {
    await start()
    const at = 1_700_000_000_000
    await importFile(
      's1',
      captureFile(httpPackets({ requests: 30, start: at, mark: 'one' })),
      '?node=a&more=true',
    )
    expect((await hub.get('/mcp/snapshots/s1')).json.status).toBe('in_progress')
    await importFile(
      's1',
      captureFile(httpPackets({ requests: 30, start: at + 3, mark: 'two' }), 'pcap'),
      '?node=b&append=true',
    )
    const { json: snapshot } = await hub.get('/mcp/snapshots/s1')
    expect(snapshot).toMatchObject({ status: 'completed', node_count: 2 })
    expect(await dissect('s1', 'all')).toMatchObject({ status: 'completed', call_count: 60 })
    const seen: { id: string; ts: number }[] = []
    let cursor = ''
    do {
      const { json, text } = await calls('s1/all', '', `&limit=9&order=oldest${cursor}`)
      expect(json.calls, text + hub.logged.at(-1)).toBeDefined()
      seen.push(...json.calls)
      cursor = json.next_cursor ? `&cursor=${json.next_cursor}` : ''
    } while (cursor !== '')
    expect(seen).toHaveLength(60)
    expect(seen.map(({ ts }) => ts)).toEqual(seen.map(({ ts }) => ts).toSorted((a, b) => a - b))
    expect(new Set(seen.map(({ id }) => id.split('/')[0]))).toEqual(new Set(['a', 'b']))
    expect((await hub.get(`/mcp/calls/${encodeURIComponent(seen[5]!.id)}?db=s1/all`)).json.id).toBe(
      seen[5]!.id,
    )
    expect((await hub.get('/mcp/stats?db=s1/all&group_by=proto')).json.groups).toMatchObject([
      { group: 'http', calls: 60, errors: 6 },
    ])
  })

  it('keeps only what a filter or a list of protocols asks for', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 100 })))
    expect(await dissect('s1', 'fails', { kfl: 'response.status == 500' })).toMatchObject({ call_count: 10 })
    expect(await dissect('s1', 'dns', { protocols: ['tcp'] })).toMatchObject({ call_count: 0 })
    const start_ = (more: object) =>
      hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'x', ...more })
    expect((await start_({ kfl: 'nope ==' })).json).toMatchObject({ status: 400, code: 'bad_filter' })
    expect((await start_({ protocols: ['htp'] })).json).toMatchObject({
      status: 400,
      hint: expect.stringContaining('http'),
    })
    expect((await hub.get('/mcp/dissections/s1/x')).json).toMatchObject({
      status: 404,
      hint: expect.stringContaining('s1/dns'),
    })
  })

  it('says why an answer is empty', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 20 })))
    await dissect('s1', 'all')
    await dissect('s1', 'none', { kfl: 'response.status == 418' })
    const { json: parts } = await calls('s1/all', 'response.status == 500 and path contains "orders"')
    expect(parts.why_empty).toMatchObject({
      reason: 'no_match',
      parts: [
        { kfl: 'response.status == 500', matches: 2 },
        { kfl: 'path contains "orders"', matches: 18 },
      ],
    })
    const { json: outside } = await calls('s1/all', '', '&start=2030-01-01T00:00:00Z')
    expect(outside.why_empty).toMatchObject({ reason: 'window_outside_data' })
    expect(Date.parse(outside.why_empty.available_to)).toBeGreaterThan(1_699_999_999_000)
    expect((await calls('s1/none')).json.why_empty).toMatchObject({
      reason: 'no_data',
      detail: expect.stringContaining('Only calls that match response.status == 418 were dissected here'),
    })
  })

  it('says what was seen where a filter asks for a value that no call has, and what was not dissected', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 20 })))
    await dissect('s1', 'http', { protocols: ['http'] })
    const why = async (kfl: string) => (await calls('s1/http', kfl)).json.why_empty
    expect((await why('method == "get"')).parts).toMatchObject([{ matches: 0, seen: ['GET'] }])
    expect((await why('status == 999 and http')).parts).toEqual([
      { kfl: 'status == 999', matches: 0, seen: ['200', '500'] },
      { kfl: 'http', matches: 20 },
    ])
    expect((await why('dns')).detail).toContain('Only the protocols http were dissected here')
  })

  it('refuses what cannot be, with the right words', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 10 })))
    await dissect('s1', 'all')
    const again = { snapshot_name: 's1', dissection_name: 'all' }
    expect((await hub.send('POST', '/mcp/dissections', again)).json).toMatchObject({
      status: 409,
      code: 'name_taken',
    })
    expect((await hub.send('POST', '/mcp/dissections/s1/all/stop')).json).toMatchObject({ status: 409 })
    expect((await hub.send('DELETE', '/mcp/snapshots/s1')).json).toMatchObject({
      status: 409,
      code: 'has_dissections',
    })
    expect((await calls('s1/al')).json).toMatchObject({
      status: 404,
      hint: expect.stringContaining('s1/all'),
    })
    expect((await hub.get('/mcp/snapshots/s')).json).toMatchObject({
      status: 404,
      hint: expect.stringContaining('s1'),
    })
  })

  it('gives its room back when it is deleted, also while it is read', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 50 })))
    const { room } = hub.services.snapshots
    const before = room.used
    await dissect('s1', 'all')
    expect(room.used).toBeGreaterThan(before)
    const reading = Promise.all(Array.from({ length: 5 }, () => calls('s1/all', 'http')))
    expect((await hub.send('DELETE', '/mcp/dissections/s1/all')).json).toEqual({
      success: true,
      snapshot_name: 's1',
      dissection_name: 'all',
    })
    for (const { status } of await reading) expect([200, 404]).toContain(status)
    expect(room.used).toBe(before)
    expect((await calls('s1/all')).status).toBe(404)
    await dissect('s1', 'again')
    expect((await hub.send('DELETE', '/mcp/snapshots/s1?force=true')).json).toEqual({
      success: true,
      name: 's1',
    })
    expect(room.used).toBe(0)
    expect(await readdir(join(hub.folder, 'snapshots'))).toEqual([])
  })

  it('of the same name begins only when nothing of the one before is left', async () => {
    await start()
    await importFile('s1', captureFile(httpPackets({ requests: 50 })))
    await dissect('s1', 'all')
    const reading = Promise.all(Array.from({ length: 5 }, () => calls('s1/all', 'http')))
    const leaving = hub.send('DELETE', '/mcp/dissections/s1/all')
    const body = { snapshot_name: 's1', dissection_name: 'all' }
    await until(
      () => hub.send('POST', '/mcp/dissections', body),
      ({ status, json }) => {
        if (status !== 200) expect(['name_taken', 'busy']).toContain(json.code)
        return status === 200
      },
    )
    await Promise.all([leaving, reading])
    const { json } = await until(
      () => hub.get('/mcp/dissections/s1/all'),
      ({ json: { status } }) => status !== 'pending' && status !== 'running',
    )
    expect(json).toMatchObject({ status: 'completed', call_count: 50 })
    expect((await calls('s1/all', 'http')).json.total).toBe(50)
  })

  it('survives a restart; one that was running starts again, up to a number of attempts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapdeck-restart-'))
    await start({ folder })
    await importFile('s1', captureFile(httpPackets({ requests: 20 })))
    for (const name of ['all', 'half', 'doomed']) await dissect('s1', name)
    const { used } = hub.services.snapshots.room
    await hub.stop()
    const interrupt = async (name: string, attempts: number) => {
      const file = join(folder, `snapshots/s1/dissections/${name}/dissection.json`)
      const record = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, JSON.stringify({ ...record, status: 'running', attempts }))
    }
    await interrupt('half', 1)
    await interrupt('doomed', 3)
    await start({ folder })
    expect((await calls('s1/all', 'http')).json.total).toBe(20)
    expect((await hub.get('/mcp/dissections/s1/doomed')).json).toMatchObject({
      status: 'failed',
      errors: [expect.stringContaining('interrupted')],
    })
    const { json: half } = await until(
      () => hub.get('/mcp/dissections/s1/half'),
      ({ json: { status } }) => status !== 'pending' && status !== 'running',
    )
    expect(half).toMatchObject({ status: 'completed', errors: [] })
    expect((await calls('s1/half', 'http')).json.total).toBe(20)
    expect((await calls('s1/doomed')).json).toMatchObject({ status: 409 })
    expect(hub.services.snapshots.room.used).toBeLessThan(used)
    await hub.stop()
    await rm(folder, { recursive: true })
  })
})

describe('jobs', () => {
  it('may be ended by any number of orderly stops', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapdeck-stops-'))
    await start({ folder })
    const bytes = captureFile(httpPackets({ requests: 20 }))
    await importFile('slow', bytes)
    const pipe = await asPipe('slow')
    await pipe.write(bytes)
    await hub.send('POST', '/mcp/dissections', { snapshot_name: 'slow', dissection_name: 'one' })
    const file = join(folder, 'snapshots/slow/dissections/one/dissection.json')
    const record = async () => JSON.parse(await readFile(file, 'utf8'))
    await until(record, ({ status }) => status === 'running')
    expect(await record()).toMatchObject({ attempts: 1 })
    const stopping = hub.stop()
    await pipe.close()
    await stopping
    expect(await record()).toMatchObject({ status: 'running', attempts: 0 })
    await rm(folder, { recursive: true })
  })

  it('wait for each other, can be stopped while they wait or run, and answer while they run', async () => {
    await start()
    const bytes = captureFile(httpPackets({ requests: 20 }))
    await importFile('slow', bytes)
    await importFile('quick', bytes)
    const pipe = await asPipe('slow')
    await pipe.write(bytes)
    const begin = (snapshot: string, name: string) =>
      hub.send('POST', '/mcp/dissections', { snapshot_name: snapshot, dissection_name: name })
    expect((await begin('slow', 'one')).json.status).toBe('running')
    expect((await begin('slow', 'two')).json.status).toBe('pending')
    expect((await begin('quick', 'three')).json.status).toBe('pending')
    expect((await calls('slow/two')).json).toMatchObject({ status: 409, code: 'dissection_not_completed' })
    expect((await hub.send('DELETE', '/mcp/dissections/slow/one')).json).toMatchObject({
      status: 409,
      code: 'busy',
    })
    expect((await hub.send('POST', '/mcp/dissections/slow/two/stop')).json).toMatchObject({
      status: 'cancelled',
    })
    const answer = await until(
      () => calls('slow/one', 'response.status == 500'),
      ({ status, json }) => status === 200 && json.calls.length > 0,
    )
    expect(answer.json.calls[0]).toMatchObject({ proto: 'http', status: 500 })
    expect((await calls('slow/one', '', '&cursor=abc')).status).toBe(400)
    expect((await hub.get(`/mcp/calls/${answer.json.calls[0].id}?db=slow/one`)).json.response.status).toBe(
      500,
    )
    expect((await hub.get('/mcp/dissections/slow/one')).json).toMatchObject({ status: 'running' })
    const stopping = hub.send('POST', '/mcp/dissections/slow/one/stop')
    await pipe.close()
    expect((await stopping).json).toMatchObject({ status: 'cancelled' })
    const third = await until(
      () => hub.get('/mcp/dissections/quick/three'),
      ({ json }) => json.status === 'completed',
    )
    expect(third.json.call_count).toBe(20)
    expect((await hub.get('/mcp/dissections?snapshot=slow')).json.dissections).toHaveLength(2)
  })

  it('that fall over say why, and the next one runs', async () => {
    await start({ thread: new URL('data:text/javascript,throw new Error("out of luck")') })
    await importFile('s1', captureFile(httpPackets({ requests: 10 })))
    for (const name of ['a', 'b'])
      expect(await dissect('s1', name)).toMatchObject({ status: 'failed', errors: ['out of luck'] })
  })

  it('that cannot even begin say why, and the next one is tried', async () => {
    await start({ thread: new URL('https://127.0.0.1/no-thread.mjs') })
    await importFile('s1', captureFile(httpPackets({ requests: 10 })))
    const errors = [expect.stringContaining('cannot start')]
    for (const name of ['a', 'b'])
      expect(await dissect('s1', name)).toMatchObject({ status: 'failed', errors })
  })

  it('that find no room fail, and leave nothing behind', async () => {
    await start()
    await importFile('big', captureFile(httpPackets({ requests: 500 })))
    const { room } = hub.services.snapshots
    room.maxBytes = room.used + 1000
    const used = room.used
    const done = await dissect('big', 'all')
    expect(done).toMatchObject({ status: 'failed', errors: [expect.stringContaining('no space')] })
    expect(room.used).toBe(used)
    const left = () => readdir(join(hub.folder, 'snapshots/big/dissections/all'))
    await until(left, (names) => names.join() === 'dissection.json')
  })
})
