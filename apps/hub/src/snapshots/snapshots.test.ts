import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { CaptureReader } from '@tapdeck/wire'
import { afterEach, describe, expect, it } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

/** Gives its capture in pieces, as a worker would. */
function recorded(bytes: Uint8Array, partial = false): Answers {
  return {
    boundaries: () => ({
      oldest_ts: 1_700_000_000_000,
      newest_ts: 1_700_000_060_000,
      size_bytes: bytes.length,
      packet_count: 60,
      dropped_packets: 2,
    }),
    async window(_input, worker, id) {
      for (let at = 0; at < bytes.length; at += 10_000)
        await worker.piece(id, bytes.subarray(at, at + 10_000))
      return {
        packet_count: 60,
        size_bytes: bytes.length,
        dropped_packets: 2,
        start_ts: 1_700_000_000_000,
        end_ts: 1_700_000_060_000,
        partial,
      }
    },
  }
}

const made = (name: string) =>
  until(
    () => hub.get(`/mcp/snapshots/${name}`).then(({ json }) => json),
    ({ status }) => status === 'completed' || status === 'failed',
  )

const create = (body: object) => hub.send('POST', '/mcp/snapshots', body)

describe('making a snapshot', () => {
  it('takes the window of all nodes, byte for byte', async () => {
    hub = await startHub()
    const [one, two] = [1, 2].map((mark) => captureFile(httpPackets({ requests: 300, mark: String(mark) })))
    const first = await hub.worker('n1', recorded(one!))
    await hub.worker('n2', recorded(two!, true))
    const { status, json } = await create({ name: 's1', duration: '1h30m' })
    expect([status, json]).toEqual([202, { success: true, name: 's1', status: 'in_progress' }])
    expect(await made('s1')).toEqual({
      name: 's1',
      status: 'completed',
      progress: 100,
      size_bytes: one!.length + two!.length,
      node_count: 2,
      packet_count: 120,
      duration: '1h30m',
      start_ts: 1_700_000_000_000,
      end_ts: 1_700_000_060_000,
      created_at: expect.stringMatching(/Z$/),
      partial: true,
      verified: true,
      nodes: [
        { name: 'n1', status: 'completed', size_bytes: one!.length, packet_count: 60, dropped_packets: 2 },
        { name: 'n2', status: 'completed', size_bytes: two!.length, packet_count: 60, dropped_packets: 2 },
      ],
      events: { cluster: 0, os: 0 },
      source: 'recording',
      tags: [],
      notes: '',
    })
    const asked = first.asked.find(({ request }) => request === 'window')!.input as {
      start: number
      end: number
    }
    expect(asked.start).toBe(1_700_000_060_000 - 5_400_000)
    expect(asked.end).toBeGreaterThan(1_700_000_060_000)
    expect(await readFile(join(hub.folder, 'snapshots/s1/n1.pcapng'))).toEqual(one)
    expect((await hub.get('/mcp/snapshots')).json.snapshots).toHaveLength(1)
    expect((await create({ name: 's1', duration: '1h' })).json).toMatchObject({
      status: 409,
      code: 'name_taken',
    })
  })

  it('takes files where a worker has the same disk, and bytes where it has not', async () => {
    hub = await startHub()
    const [one, two] = [1, 2].map((mark) => captureFile(httpPackets({ requests: 30, mark: String(mark) })))
    const reported = { packet_count: 60, dropped_packets: 2, start_ts: 5, end_ts: 7, partial: false }
    const near = await hub.worker('near', {
      ...recorded(one!),
      async hand_over({ folder }) {
        for (const [name, bytes] of [
          ['a.pcapng', one!],
          ['b.pcapng', two!],
        ] as const)
          await writeFile(join(hub.folder, 'snapshots', folder, name), bytes)
        const files = [
          { name: 'a.pcapng', size_bytes: one!.length, packet_count: 30 },
          { name: 'b.pcapng', size_bytes: two!.length, packet_count: 30 },
        ]
        return { ...reported, size_bytes: one!.length + two!.length, files }
      },
    })
    const far = await hub.worker('far', {
      ...recorded(two!),
      hand_over: () => Promise.reject({ status: 409, code: 'not_shared', detail: 'no such folder' }),
    })
    await create({ name: 's1', duration: '1h' })
    expect(await made('s1')).toMatchObject({
      status: 'completed',
      partial: false,
      start_ts: 5,
      nodes: [
        { name: 'far', status: 'completed', size_bytes: two!.length },
        { name: 'near', status: 'completed', size_bytes: one!.length + two!.length, packet_count: 60 },
      ],
    })
    expect(near.asked.some(({ request }) => request === 'window')).toBe(false)
    expect(far.asked.some(({ request }) => request === 'window')).toBe(true)
    await until(
      () => hub.get('/mcp/snapshots/s1').then(({ json }) => json),
      ({ verified }) => verified,
    )
    const pcap = await hub.fetch(new Request('http://127.0.0.1/mcp/snapshots/s1/pcap?nodes=near'))
    expect(Buffer.from(await pcap.arrayBuffer()).equals(Buffer.concat([one!, two!]))).toBe(true)
    expect((await readdir(join(hub.folder, 'snapshots'))).sort()).toEqual(['s1'])
  })

  it('reports a node whose worker disconnects, or has more than the free space', async () => {
    hub = await startHub({
      set: ['tap.snapshots.local.storageSize=50000', 'tap.snapshots.returnWithin=0'],
    })
    const bytes = captureFile(httpPackets({ requests: 30 }))
    await hub.worker('full', {
      ...recorded(bytes),
      hand_over: () => Promise.reject({ status: 507, code: 'no_room', detail: 'too much' }),
    })
    await hub.worker('gone', {
      ...recorded(bytes),
      hand_over(_input, worker) {
        worker.close()
        return new Promise(() => {})
      },
    })
    await create({ name: 's1', duration: '1h' })
    expect(await made('s1')).toMatchObject({
      status: 'failed',
      nodes: [
        { name: 'full', status: 'failed', error: 'no space: too much' },
        { name: 'gone', status: 'failed', error: expect.stringContaining('Lost the connection') },
      ],
    })
    expect((await readdir(join(hub.folder, 'snapshots'))).sort()).toEqual(['s1'])
    expect(hub.services.snapshots.room.used).toBe(0)
  })

  it('copies where what was handed over is not what was said', async () => {
    hub = await startHub()
    const bytes = captureFile(httpPackets({ requests: 30 }))
    await hub.worker('n1', {
      ...recorded(bytes),
      hand_over: () => ({
        ...{ packet_count: 1, size_bytes: 9, dropped_packets: 0, start_ts: 1, end_ts: 2, partial: false },
        files: [{ name: '../../worker.token', size_bytes: 9, packet_count: 1 }],
      }),
    })
    await create({ name: 's1', duration: '1h' })
    expect(await made('s1')).toMatchObject({
      status: 'completed',
      packet_count: 60,
      size_bytes: bytes.length,
    })
    expect(await readFile(join(hub.folder, 'snapshots/s1/n1.pcapng'))).toEqual(bytes)
  })

  it('can be done several times at once, of chosen nodes and windows', async () => {
    hub = await startHub()
    const bytes = captureFile(httpPackets({ requests: 50 }))
    const worker = await hub.worker('n1', recorded(bytes))
    await hub.worker('n2', recorded(bytes))
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        create({ name: `s${at}`, start: 1_700_000_000_000 + at, end: '2023-11-14T22:14:00Z', nodes: ['n1'] }),
      ),
    )
    for (const { status } of answers) expect(status).toBe(202)
    for (let at = 0; at < 5; at++)
      expect(await made(`s${at}`)).toMatchObject({ status: 'completed', node_count: 1 })
    const windows = worker.asked.filter(({ request }) => request === 'window').map(({ input }) => input)
    expect(windows).toContainEqual({ start: 1_700_000_000_003, end: 1_700_000_040_000 })
    expect((await create({ name: 'x', duration: '1m', nodes: ['n3'] })).json).toMatchObject({
      status: 404,
      code: 'unknown_node',
      hint: expect.stringContaining('n1'),
    })
    expect((await create({ name: 'x', start: 5, end: 4 })).json).toMatchObject({ status: 400 })
  })

  it('is partial where a node fails, and failed where all do', async () => {
    hub = await startHub()
    const bytes = captureFile(httpPackets({ requests: 10 }))
    const broken: Answers = {
      ...recorded(bytes),
      window: () => {
        throw { status: 500, code: 'internal', detail: 'the disk is gone' }
      },
    }
    await hub.worker('n1', recorded(bytes))
    await hub.worker('n2', broken)
    await create({ name: 'half', duration: '1m' })
    expect(await made('half')).toMatchObject({
      status: 'completed',
      partial: true,
      error: 'n2: the disk is gone',
      node_count: 1,
      nodes: [{ status: 'completed' }, { status: 'failed', error: 'the disk is gone' }],
    })
    await create({ name: 'none', duration: '1m', nodes: ['n2'] })
    expect(await made('none')).toMatchObject({ status: 'failed', error: 'n2: the disk is gone' })
  })

  it('fails where a worker goes away in the middle', async () => {
    hub = await startHub({ set: ['tap.snapshots.returnWithin=0'] })
    const worker = await hub.worker('n1', {
      ...recorded(new Uint8Array(0)),
      async window(_input, self, id) {
        await self.piece(id, new Uint8Array(1000))
        self.close()
        return new Promise(() => {})
      },
    })
    await create({ name: 's1', duration: '1m' })
    expect(await made('s1')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('Lost the connection'),
    })
    worker.close()
    expect(hub.services.snapshots.room.used).toBe(0)
  })

  it('continues at the byte where the connection broke, and compares checksums at the end', async () => {
    hub = await startHub()
    const bytes = captureFile(httpPackets({ requests: 300 }))
    const sha256 = (part: Uint8Array) => createHash('sha256').update(part).digest('hex')
    const counts = { packet_count: 60, dropped_packets: 0, start_ts: 1, end_ts: 2, partial: false }
    const whole = { ...counts, size_bytes: bytes.length, sha256: sha256(bytes) }
    /** Sends up to 40,000 bytes more, and goes away before the end. */
    const breaking: Answers = {
      ...recorded(bytes),
      async window({ from }, self, id) {
        const { offset } = from ?? { offset: 0 }
        await self.piece(id, bytes.subarray(offset, offset + 40_000))
        // Only when the hub has used it: what is on its way when a socket closes may be lost.
        await until(
          () => self.granted(id),
          (granted) => granted >= Math.min(40_000, bytes.length - offset),
        )
        if (offset + 40_000 < bytes.length) self.close()
        return whole
      },
    }
    await hub.worker('n1', breaking)
    await create({ name: 's1', duration: '1m' })
    const resumed: unknown[] = []
    for (let at = 40_000; at < bytes.length; at += 40_000) {
      await until(
        () => hub.services.workers.connected.length,
        (count) => count === 0,
      )
      const worker = await hub.worker('n1', breaking)
      await until(
        () => worker.asked.find(({ request }) => request === 'window'),
        (asked) => {
          if (asked) resumed.push((asked.input as { from?: unknown }).from)
          return asked !== undefined
        },
      )
    }
    expect(await made('s1')).toMatchObject({ status: 'completed', partial: false, size_bytes: bytes.length })
    expect(resumed.length).toBeGreaterThan(1)
    expect(resumed).toEqual(
      resumed.map((_, at) => {
        const offset = 40_000 * (at + 1)
        return { offset, sha256: sha256(bytes.subarray(0, offset)) }
      }),
    )
    expect((await readFile(join(hub.folder, 'snapshots/s1/n1.pcapng'))).equals(bytes)).toBe(true)
    const manifest = JSON.parse(await readFile(join(hub.folder, 'snapshots/s1/snapshot.json'), 'utf8'))
    expect(manifest.files).toMatchObject([{ node: 'n1', sha256: sha256(bytes) }])
  })

  it('begins again where a node cannot continue, and fails where checksums differ', async () => {
    hub = await startHub()
    const bytes = captureFile(httpPackets({ requests: 30 }))
    let attempts = 0
    const send = recorded(bytes).window!
    await hub.worker('again', {
      ...recorded(bytes),
      async window(input, self, id) {
        attempts++
        if (attempts === 1) {
          await self.piece(id, new Uint8Array(500))
          throw { status: 409, code: 'changed', detail: 'the ring has moved on' }
        }
        expect(input.from).toBeUndefined()
        return send(input, self, id)
      },
    })
    await hub.worker('liar', {
      ...recorded(bytes),
      async window(...asked) {
        return { ...(await send(...asked)), sha256: '0'.repeat(64) }
      },
    })
    await create({ name: 's1', duration: '1m' })
    expect(await made('s1')).toMatchObject({
      status: 'completed',
      partial: true,
      nodes: [
        { name: 'again', status: 'completed', size_bytes: bytes.length },
        { name: 'liar', status: 'failed', error: expect.stringContaining('checksum') },
      ],
    })
    expect(attempts).toBe(2)
    expect((await readFile(join(hub.folder, 'snapshots/s1/again.pcapng'))).equals(bytes)).toBe(true)
  })

  it('is refused where there is no room, and fails where it turns out so', async () => {
    hub = await startHub({ set: ['tap.snapshots.local.storageSize=10000'] })
    const bytes = captureFile(httpPackets({ requests: 100 }))
    await hub.worker('n1', recorded(bytes))
    expect((await create({ name: 's1', duration: '1m' })).json).toMatchObject({
      status: 507,
      code: 'no_room',
    })
    const modest = recorded(bytes).boundaries!
    await hub.worker('n2', {
      ...recorded(bytes),
      boundaries: async (...asked) => ({ ...(await modest(...asked)), size_bytes: 100 }),
    })
    expect((await create({ name: 's2', duration: '1m', nodes: ['n2'] })).status).toBe(202)
    expect(await made('s2')).toMatchObject({ status: 'failed', error: expect.stringContaining('no space') })
    expect(hub.services.snapshots.room.used).toBe(0)
  })

  it('can be stopped by a forced deletion', async () => {
    hub = await startHub()
    const worker = await hub.worker('n1', {
      ...recorded(new Uint8Array(0)),
      window: () => new Promise(() => {}),
    })
    await create({ name: 's1', duration: '1m' })
    expect((await hub.send('DELETE', '/mcp/snapshots/s1')).json).toMatchObject({ status: 409, code: 'busy' })
    await until(() => worker.asked.some(({ request }) => request === 'window'), Boolean)
    expect((await hub.send('DELETE', '/mcp/snapshots/s1?force=true')).status).toBe(200)
    expect((await hub.get('/mcp/snapshots/s1')).status).toBe(404)
    await until(
      () => worker.cancelled.size,
      (count) => count === 1,
    )
  })
})

describe('importing', () => {
  const post = (path: string, body?: Uint8Array | string) => hub.send('POST', `/api/snapshots/${path}`, body)

  it('takes pcap, pcapng and gzip, and counts as it goes', async () => {
    hub = await startHub()
    const packets = httpPackets({ requests: 20 })
    const plain = captureFile(packets, 'pcap')
    for (const [name, bytes] of [
      ['a', plain],
      ['b', captureFile(packets)],
      ['c', gzipSync(plain)],
    ] as const) {
      const { status, json } = await post(`${name}/import?node=edge`, bytes)
      expect(status).toBe(201)
      expect(json).toMatchObject({
        name,
        status: 'completed',
        packet_count: packets.length,
        partial: false,
        start_ts: 1_700_000_000_000,
        nodes: [{ name: 'edge', packet_count: packets.length }],
      })
      expect(json.end_ts).toBeGreaterThan(json.start_ts)
      expect(Number.isInteger(json.end_ts)).toBe(true)
    }
  })

  it('marks what is cut off as partial', async () => {
    hub = await startHub()
    const packed = gzipSync(captureFile(httpPackets({ requests: 200 })))
    const { status, json } = await post('cut/import', packed.subarray(0, packed.length - 100))
    expect([status, json.partial]).toEqual([201, true])
    const bytes = captureFile(httpPackets({ requests: 20 }))
    expect((await post('short/import', bytes.subarray(0, bytes.length - 10))).json.partial).toBe(true)
  })

  it('leaves nothing behind of what is no capture or finds no room', async () => {
    hub = await startHub({ set: ['tap.snapshots.local.storageSize=5000'] })
    expect((await post('x/import', 'hello, this is text')).json).toMatchObject({
      status: 400,
      code: 'not_a_capture',
    })
    expect((await post('x/import', captureFile(httpPackets({ requests: 100 })))).json).toMatchObject({
      status: 507,
    })
    expect((await hub.get('/mcp/snapshots')).json.snapshots).toEqual([])
    expect(hub.services.snapshots.room.used).toBe(0)
  })

  it('adds files to a snapshot that was left open, and to no other', async () => {
    hub = await startHub()
    const bytes = captureFile(httpPackets({ requests: 10 }))
    expect((await post('s/import?append=true', bytes)).status).toBe(404)
    expect((await post('s/import?node=a&more=true', bytes)).json.status).toBe('in_progress')
    expect((await post('s/import?node=b', bytes)).status).toBe(409)
    expect((await post('s/import?node=a&append=true', bytes)).json).toMatchObject({
      status: 409,
      code: 'node_taken',
    })
    expect((await post('s/import?node=b&append=true', bytes)).json).toMatchObject({
      status: 'completed',
      node_count: 2,
    })
    expect((await post('s/import?node=c&append=true', bytes)).json).toMatchObject({
      status: 409,
      code: 'snapshot_closed',
    })
  })
})

describe('importing by path, and with names', () => {
  it('takes files below the folder for it, and reveals nothing about others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapdeck-imports-'))
    const secret = await mkdtemp(join(tmpdir(), 'tapdeck-secret-'))
    try {
      const bytes = captureFile(httpPackets({ requests: 10 }))
      await mkdir(join(folder, 'sub'))
      await writeFile(join(folder, 'sub/a.pcapng'), bytes)
      await writeFile(join(secret, 'b.pcapng'), bytes)
      await symlink(secret, join(folder, 'way-out'))
      const post = (query: string) => hub.send('POST', `/api/snapshots/s/import?${query}`)
      hub = await startHub()
      expect((await post('path=sub/a.pcapng')).json).toMatchObject({ status: 403, code: 'no_import_folder' })
      await hub.stop()
      hub = await startHub({ set: [`tap.snapshots.importFolder=${folder}`] })
      for (const path of [
        'nothing',
        'sub',
        '../etc/passwd',
        '/etc/passwd',
        'way-out/b.pcapng',
        'sub/../../x',
      ])
        expect((await post(`path=${encodeURIComponent(path)}`)).json).toMatchObject({
          status: 404,
          code: 'unknown_file',
        })
      expect((await hub.get('/mcp/snapshots')).json.snapshots).toEqual([])
      expect((await post('path=sub/a.pcapng&node=n')).json).toMatchObject({
        status: 'completed',
        source: 'import',
        size_bytes: bytes.length,
      })
    } finally {
      await rm(folder, { recursive: true })
      await rm(secret, { recursive: true })
    }
  })

  it('keeps the names that come with captures', async () => {
    hub = await startHub()
    const post = (query: string, body: Uint8Array | string) =>
      hub.send('POST', `/api/snapshots/s/import?${query}`, body)
    const names = JSON.stringify({ pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.1'] }] })
    expect((await post('kind=inventory', names)).status).toBe(400)
    await post('more=true', captureFile(httpPackets({ requests: 10 })))
    expect((await post('append=true&kind=inventory', '{"pods": 3}')).json).toMatchObject({
      status: 400,
      code: 'not_an_inventory',
    })
    expect((await post('append=true&kind=inventory', names)).json).toMatchObject({
      status: 'completed',
      node_count: 1,
    })
    const pcap = await hub.fetch(new Request('http://127.0.0.1/mcp/snapshots/s/pcap'))
    expect(Buffer.from(await pcap.arrayBuffer()).includes('cart-1.shop')).toBe(true)
  })
})

describe('the packets of a snapshot', () => {
  const read = async (path: string) => {
    const response = await hub.fetch(new Request(`http://127.0.0.1${path}`))
    const bytes = new Uint8Array(await response.arrayBuffer())
    const times: number[] = []
    const reader = new CaptureReader({ packet: (_d, _s, _e, _l, time) => times.push(time) }, {})
    reader.push(bytes)
    reader.end()
    return { times, format: reader.format, headers: response.headers, bytes }
  }

  const resumes = async (path: string, first: number) => {
    const { bytes, headers } = await read(path)
    const again = { range: `bytes=${first}-`, 'if-range': headers.get('etag')! }
    const response = await hub.fetch(new Request(`http://127.0.0.1${path}`, { headers: again }))
    const last = bytes.length - 1
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes ${first}-${last}/${last + 1}`,
    ])
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(first))).toBe(true)
  }

  it('come as one capture in order of time, filtered by node and time', async () => {
    hub = await startHub()
    hub.services.directory.set('test', {
      pods: [{ name: 'cart', namespace: 'shop', ips: ['10.0.0.1', 'fd00::1'] }],
      services: [],
    })
    const [a, b] = [httpPackets({ requests: 30 }), httpPackets({ requests: 30, start: 1_700_000_000_002 })]
    await hub.send('POST', '/api/snapshots/s/import?node=a&more=true', captureFile(a))
    await hub.send('POST', '/api/snapshots/s/import?node=b&append=true', captureFile(b, 'pcap'))
    const all = await read('/mcp/snapshots/s/pcap')
    expect(all.format).toBe('pcapng')
    expect(all.times).toEqual([...a, ...b].map(({ time }) => time).toSorted((x, y) => x - y))
    expect(all.headers.get('content-disposition')).toBe('attachment; filename="s.pcapng"')
    expect(Buffer.from(all.bytes).includes('cart.shop')).toBe(true)
    expect((await read('/mcp/snapshots/s/pcap?nodes=a')).times).toEqual(a.map(({ time }) => time))
    expect((await read('/mcp/snapshots/s/pcap?nodes=b')).times).toEqual(b.map(({ time }) => time))
    // What is left empty chooses nothing out.
    expect((await read('/mcp/snapshots/s/pcap?nodes=&kfl=&bpf_filter=')).times).toEqual(all.times)
    const one = await read('/mcp/snapshots/s/pcap?nodes=b&format=pcap')
    expect([one.format, one.times]).toEqual(['pcap', b.map(({ time }) => time)])
    const [from, to] = [1_700_000_000_003, 1_700_000_000_005]
    const window = await read(`/api/snapshots/s/pcap?start_time=${from}&end_time=${to}`)
    expect(window.times.length).toBeGreaterThan(0)
    expect(window.times).toEqual(all.times.filter((time) => time >= from * 1000 && time <= to * 1000))
    const none = await read('/mcp/snapshots/s/pcap?start_time=2000000000000')
    expect([none.format, none.times]).toEqual(['pcapng', []])
    expect((await hub.get('/mcp/snapshots/s/pcap?nodes=c')).json).toMatchObject({
      status: 404,
      code: 'unknown_node',
    })
    expect((await hub.send('HEAD', '/mcp/snapshots/s/pcap')).headers.get('content-type')).toBe(
      'application/x-pcapng',
    )
  })

  it('are resumed where a download broke off, and come whole where they changed', async () => {
    hub = await startHub()
    await hub.send('POST', '/api/snapshots/s/import', captureFile(httpPackets({ requests: 500 })))
    const untouched = '/mcp/snapshots/s/pcap'
    const merged = '/mcp/snapshots/s/pcap?start_time=0'
    const whole = await read(untouched)
    expect(Buffer.from(whole.bytes).equals(captureFile(httpPackets({ requests: 500 })))).toBe(true)
    expect(Number(whole.headers.get('content-length'))).toBe(whole.bytes.length)
    for (const [path, at] of [
      [untouched, [0, 1, 1000, 262_200, whole.bytes.length - 1]],
      [merged, [0, 262_200]],
    ] as const)
      for (const first of at) await resumes(path, first)
    const beyond = { range: `bytes=${whole.bytes.length}-` }
    const refused = await hub.get(untouched, beyond)
    expect(refused.json).toMatchObject({ status: 416 })
    expect(refused.headers.get('content-range')).toBe(`bytes */${whole.bytes.length}`)
    const { length } = whole.bytes
    for (const [range, first, end] of [
      ['bytes=100-199', 100, 200],
      ['bytes=-50', length - 50, length],
    ] as const) {
      const headers = { range }
      const answer = await hub.fetch(new Request(`http://127.0.0.1${untouched}`, { headers }))
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        206,
        `bytes ${first}-${end - 1}/${length}`,
      ])
      const bytes = new Uint8Array(await answer.arrayBuffer())
      expect(Buffer.from(bytes).equals(whole.bytes.subarray(first, end))).toBe(true)
    }
    const had = { 'if-none-match': String(whole.headers.get('etag')) }
    expect([(await hub.get(untouched, had)).status, (await hub.get(merged, had)).status]).toEqual([304, 200])
    const other = { range: 'bytes=10-', 'if-range': '"another"' }
    expect((await hub.get(untouched, other)).status).toBe(200)
  })

  it('take no filter that is not known', async () => {
    hub = await startHub()
    await hub.send('POST', '/api/snapshots/s/import', captureFile(httpPackets({ requests: 5 })))
    expect((await hub.get('/mcp/snapshots/s/pcap?bpf=tcp')).json).toMatchObject({
      status: 400,
      detail: expect.stringContaining('bpf'),
    })
  })
})
