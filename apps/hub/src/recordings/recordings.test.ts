import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sealRecord } from '@tapdeck/tls'
import type { BuiltPacket } from '@tapdeck/wire/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LiveSubscriptions } from '../live/live-subscriptions.ts'
import { FolderState } from '../state/folder-state.ts'
import { Unsaved } from '../state/unsaved.ts'
import { bundleThread } from '../testing/bundle-thread.ts'
import type { Answers, FakeWorker } from '../testing/fake-worker.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { keysReport } from '../testing/keys-report.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { Recordings } from './recordings.ts'

const T0 = 1_700_000_000_000
let thread: URL
let hub: TestHub
let recordings: Recordings | undefined
let clock = T0
let running = 0
const resumed: string[] = []

beforeAll(async () => {
  thread = await bundleThread()
})
afterEach(async () => {
  await recordings?.close()
  recordings = undefined
  await hub?.stop()
})

/** A node whose ring holds the packets that were so far, from `oldest` on. */
class Ring {
  readonly packets: BuiltPacket[]
  readonly windows: { start: number; end: number; parties?: readonly (readonly number[])[] }[] = []
  oldest = T0
  worker: FakeWorker | undefined

  constructor(packets: BuiltPacket[]) {
    this.packets = packets
  }

  get answers(): Answers {
    return {
      boundaries: () => this.recordingAt(clock),
      window: async (input, worker, id) => {
        this.windows.push(input)
        const from = Math.max(input.start, this.oldest)
        const found = this.packets.filter(({ time }) => time / 1000 >= from && time / 1000 <= input.end)
        const bytes = captureFile(found)
        await worker.piece(id, bytes)
        const times = { start_ts: null, end_ts: null, partial: false, dropped_packets: 0 }
        return { packet_count: found.length, size_bytes: bytes.length, ...times }
      },
    }
  }

  recordingAt(now: number) {
    const seen = this.packets.filter(({ time }) => time / 1000 <= now)
    const newest_ts = seen.length > 0 ? Math.ceil(seen.at(-1)!.time / 1000) : null
    return { oldest_ts: this.oldest, newest_ts, size_bytes: 1, packet_count: seen.length, dropped_packets: 0 }
  }

  async join(node: string): Promise<void> {
    this.worker = await hub.worker(node, this.answers, { recording: this.recordingAt(clock) })
  }
}

/** Time goes by, and workers report. */
async function pass(ms: number, ...rings: Ring[]): Promise<void> {
  // Reports come first: what is due then finds them.
  for (const ring of rings) {
    const recording = ring.recordingAt(clock + ms)
    ring.worker?.sendReport({ recording })
    await until(
      () => hub.services.workers.connected.map(({ report }) => report.recording.newest_ts),
      (all) => all.includes(recording.newest_ts),
    )
  }
  clock += ms
}

async function open(room?: string, place = 'own-recordings'): Promise<Recordings> {
  hub ??= await startHub({ thread, set: room ? [`tap.snapshots.local.storageSize=${room}`] : [] })
  const { snapshots, dissections, workers, coverage, catalog } = hub.services
  recordings = await Recordings.open({
    folder: join(hub.folder, place),
    state: Object.assign(new FolderState(join(hub.folder, 'own-state')), { holder: place }),
    snapshots,
    dissections,
    workers,
    coverage,
    catalog,
    subscriptions: new LiveSubscriptions(workers, { warn() {} } as never),
    log: { info() {}, warn() {}, error() {} } as never,
    unsaved: new Unsaved({ error() {} } as never),
    now: () => clock,
    count: (count) => {
      running = count
    },
    resume: (by) => resumed.push(by),
    lookEvery: 5,
  })
  return recordings
}

async function begin(room?: string): Promise<Recordings> {
  clock = T0
  hub = await startHub({ thread, set: room ? [`tap.snapshots.local.storageSize=${room}`] : [] })
  return open()
}

const request = (name: string, more: object = {}) => ({ name, kfl: '', resume_indexing: false, ...more })
const kept = (name: string) =>
  until(
    () => recordings!.get(name),
    (record) => record.kept,
  )
const calls = async (name: string) => {
  await until(
    () => hub.services.dissections.get(`rec-${name}`, 'calls').status,
    (status) => status !== 'pending' && status !== 'running',
  )
  return (await hub.get(`/api/calls?db=rec-${name}/calls&limit=1000`)).json
}

/** 100 requests over some seconds, ten a connection. */
const traffic = () => httpPackets({ requests: 100, start: T0 + 1000 })
const span = (packets: BuiltPacket[]) => Math.ceil(packets.at(-1)!.time / 1000) - T0 + 1

describe('a recording', () => {
  it('keeps the matching calls of its time, however it was cut into slices, and their packets', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    await ring.join('n1')
    await all.start(request('one', { kfl: 'response.status >= 500' }), 'ann')
    expect(running).toBe(1)
    for (let step = 0; step < 4; step++) {
      const taken = ring.windows.length
      await pass(span(packets) / 4 + 5000, ring)
      await until(
        () => ring.windows.length,
        (count) => count > taken || step > 0,
      )
    }
    const { status, ended_by } = await all.stop('one', 'request')
    expect([status, ended_by, running]).toEqual(['stopped', 'request', 0])
    await pass(3000, ring)
    expect(await kept('one')).toMatchObject({
      status: 'stopped',
      gaps: [],
      nodes: [{ packet_count: packets.length }],
    })
    expect(await calls('one')).toMatchObject({ total: 10 })
    expect(await readdir(join(hub.folder, 'own-recordings/one'))).toEqual([])
    expect(hub.services.snapshots.get('rec-one')).toMatchObject({
      packet_count: packets.length,
      partial: false,
    })
  })

  it('keeps the TLS secrets of its time that the node still has when it ends, sealed', async () => {
    clock = T0
    hub = await startHub({ thread, set: ['tap.tls.capture.enabled=true'] })
    const all = await open()
    const packets = traffic()
    const ring = new Ring(packets)
    const line = `CLIENT_RANDOM ${'ab'.repeat(32)} ${'cd'.repeat(48)}`
    let sealing: { id: string; key: Uint8Array } | undefined
    let asked: { start: number; end: number } | undefined
    const secrets: Answers = {
      tls_keys: ({ keys }) => {
        sealing = { id: keys[0]!.id, key: Buffer.from(keys[0]!.key, 'hex') }
        return {}
      },
      key_window: async (window, worker, id) => {
        asked = window
        await worker.piece(id, sealRecord(sealing!, Buffer.from(JSON.stringify([{ line, source: 'node' }]))))
        return { count: 1 }
      },
    }
    ring.worker = await hub.worker(
      'n1',
      { ...ring.answers, ...secrets },
      { recording: ring.recordingAt(clock), tls_keys: keysReport },
    )
    await all.start(request('one'), 'ann')
    await pass(span(packets) + 5000, ring)
    await all.stop('one', 'request')
    await pass(3000, ring)
    await kept('one')
    expect(asked!.start).toBe(T0)
    expect(await hub.services.snapshots.keys.read('rec-one', 'n1')).toEqual([{ line, source: 'node' }])
    const folder = join(hub.folder, 'snapshots/rec-one')
    const [sealed = '', ...others] = (await readdir(folder)).filter((name) => name.endsWith('.sealed'))
    expect(others).toEqual([])
    expect((await readFile(join(folder, sealed), 'utf8')).includes(line)).toBe(false)
  })

  it('goes on after a restart, out of what the ring still holds', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    await ring.join('n1')
    await all.start(request('two', { duration: 60_000 }), 'ann')
    await pass(6000, ring)
    await until(
      () => ring.windows.length,
      (count) => count > 0,
    )
    await all.close()
    await pass(30_000, ring)
    const after = await open()
    expect(running).toBe(1)
    await pass(40_000, ring)
    expect(await kept('two')).toMatchObject({ status: 'completed', ended_by: 'duration', gaps: [] })
    expect(await calls('two')).toMatchObject({ total: 100 })
    expect(after.get('two').ended_ts).toBe(T0 + 60_000)
  })

  it('is taken from the rings again by a hub that takes over, and lists what they do not have any more', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    await ring.join('n1')
    await all.start(request('moved', { duration: 60_000 }), 'ann')
    await pass(6000, ring)
    await until(
      () => all.get('moved').nodes[0]?.packet_count ?? 0,
      (count) => count > 0,
    )
    await all.close()
    ring.oldest = T0 + 3000
    const after = await open(undefined, 'another-folder')
    expect(after.get('moved')).toMatchObject({ status: 'running', nodes: [{ slices: 0, packet_count: 0 }] })
    await pass(65_000, ring)
    const left = packets.filter(({ time }) => time / 1000 >= ring.oldest).length
    expect(left).toBeLessThan(packets.length)
    expect(await kept('moved')).toMatchObject({
      status: 'completed',
      gaps: [{ node: 'n1', from_ts: T0, to_ts: ring.oldest }],
      nodes: [{ packet_count: left }],
    })
  })

  it('reports the gap if the ring has dropped packets meanwhile', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    await ring.join('n1')
    await all.start(request('three'), 'ann')
    await pass(7000, ring)
    await until(
      () => all.get('three').nodes[0]?.slices ?? 0,
      (slices) => slices > 0,
    )
    await all.close()
    clock += 100_000
    ring.oldest = T0 + 50_000
    await pass(0, ring)
    await open()
    await pass(6000, ring)
    const { gaps } = await until(
      () => recordings!.get('three'),
      (record) => record.gaps.length > 0,
    )
    expect(gaps).toMatchObject([
      { node: 'n1', to_ts: T0 + 50_000, reason: expect.stringContaining('overwritten') },
    ])
  })

  it('lists the times at which a worker did not run, and so does its snapshot', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    const killed = { from: T0 + 3000, to: T0 + 5500, reason: 'killed' }
    const side = { until: T0 + 60_000, gaps: [{ from: 0, to: T0 - 1, reason: 'not_started' }, killed] }
    ring.worker = await hub.worker('n1', ring.answers, {
      recording: ring.recordingAt(clock),
      coverage: { recorded: side, indexed: side },
    })
    await all.start(request('kills'), 'ann')
    await pass(60_000, ring)
    await all.stop('kills', 'request')
    await pass(3000, ring)
    const gap = { node: 'n1', from_ts: killed.from, to_ts: killed.to }
    expect((await kept('kills')).gaps).toEqual([
      { ...gap, reason: 'the worker was killed or crashed', code: 'killed' },
    ])
    expect(hub.services.snapshots.get('rec-kills')).toMatchObject({
      partial: true,
      gaps: [{ ...gap, reason: 'killed', detail: 'the worker was killed or crashed' }],
    })
  })

  it('has the last packets of a worker that is too busy to report them', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    await ring.join('n1')
    await all.start(request('busy'), 'ann')
    clock += span(packets)
    await all.stop('busy', 'request')
    clock += 3000
    expect(await kept('busy')).toMatchObject({ gaps: [], nodes: [{ packet_count: packets.length }] })
  })

  it('lists what a node did not give before it ended, and does not wait for it forever', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    let isRefused = false
    ring.worker = await hub.worker('n1', {
      ...ring.answers,
      window: (input, worker, id) => {
        if (isRefused) throw { status: 503, code: 'worker_busy', detail: 'too many windows' }
        return ring.answers.window!(input, worker, id)
      },
    })
    await all.start(request('refused'), 'ann')
    await pass(7000, ring)
    await until(
      () => all.get('refused').nodes[0]?.slices ?? 0,
      (slices) => slices > 0,
    )
    const { until_ts } = all.get('refused').nodes[0]!
    isRefused = true
    clock += 2000
    const asked = ring.worker.asked.length
    await all.stop('refused', 'request')
    clock += 3000
    await until(
      () => ring.worker!.asked.slice(asked).filter((one) => one.request === 'window').length,
      (attempts) => attempts > 1,
    )
    clock += 40_000
    expect((await kept('refused')).gaps).toEqual([
      {
        node: 'n1',
        from_ts: until_ts,
        to_ts: T0 + 9000,
        reason: expect.stringContaining('did not give'),
        code: 'not_taken',
      },
    ])
  })

  it('lists what the ring deleted while a slice was read', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    ring.oldest = T0 - 1000
    ring.worker = await hub.worker('n1', {
      ...ring.answers,
      window: async (input, worker, id) => {
        ring.oldest = T0 + 1020
        return { ...(await ring.answers.window!(input, worker, id)), partial: input.start < ring.oldest }
      },
    })
    await all.start(request('slow'), 'ann')
    await pass(7000, ring)
    const { nodes, gaps } = await until(
      () => all.get('slow'),
      (record) => (record.nodes[0]?.until_ts ?? T0) > T0,
    )
    expect(gaps).toMatchObject([{ node: 'n1', from_ts: T0, to_ts: nodes[0]!.until_ts }])
  })

  it('keeps a gap that it has reported when the ring does not have that time any more', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    const killed = { from: T0 + 3000, to: T0 + 5500, reason: 'killed' }
    const side = { until: T0 + 7000, gaps: [{ from: 0, to: T0 - 1, reason: 'not_started' }, killed] }
    ring.worker = await hub.worker('n1', ring.answers, { coverage: { recorded: side, indexed: side } })
    await all.start(request('long'), 'ann')
    await pass(8000, ring)
    const gap = { node: 'n1', from_ts: killed.from, to_ts: killed.to, code: 'killed' }
    await until(
      () => all.get('long').gaps,
      (gaps) => gaps.length > 0,
    )
    expect(all.get('long').gaps).toMatchObject([gap])
    const forgotten = { ...side, until: T0 + 60_000, forgotten: T0 + 4000 }
    ring.worker.sendReport({ coverage: { recorded: forgotten, indexed: side } })
    await pass(52_000, ring)
    await all.stop('long', 'request')
    await pass(3000, ring)
    const gaps = (await kept('long')).gaps.map(({ from_ts, to_ts }) => [from_ts, to_ts])
    expect(gaps).toEqual([
      [killed.from, forgotten.forgotten],
      [forgotten.forgotten, killed.to],
    ])
  })

  it('has stored a note when that is confirmed', async () => {
    const all = await begin()
    await all.start(request('noted'), 'ann')
    await Promise.all([all.note('noted', 'ann', 'first'), all.note('noted', 'bob', 'second')])
    const stored = await readFile(join(hub.folder, 'own-state/recordings/noted/recording.json'), 'utf8')
    expect(JSON.parse(stored).notes).toMatchObject([{ text: 'first' }, { text: 'second' }])
  })

  it('lists what it did not get from a node that never came back', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    const side = { until: T0 + 7000, gaps: [{ from: 0, to: T0 - 1, reason: 'not_started' }] }
    ring.worker = await hub.worker('n1', ring.answers, {
      recording: ring.recordingAt(clock),
      coverage: { recorded: side, indexed: side },
    })
    await all.start(request('away'), 'ann')
    await pass(7000, ring)
    await until(
      () => all.get('away').nodes[0]?.slices ?? 0,
      (slices) => slices > 0,
    )
    const { until_ts } = all.get('away').nodes[0]!
    ring.worker.socket.close()
    await until(
      () => hub.services.workers.connected.length,
      (count) => count === 0,
    )
    await pass(5000)
    await all.stop('away', 'request')
    await pass(40_000)
    expect((await kept('away')).gaps).toEqual([
      {
        node: 'n1',
        from_ts: Math.floor(until_ts),
        to_ts: T0 + 12_000,
        reason: expect.stringContaining('not connected'),
        code: 'worker_away',
      },
    ])
  })

  it('reports that a worker restarted meanwhile', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    await ring.join('n1')
    await all.start(request('anew'), 'ann')
    await pass(6000, ring)
    await until(
      () => all.get('anew').nodes[0]?.slices ?? 0,
      (slices) => slices > 0,
    )
    ring.worker!.sendReport({ packets_captured: 3 })
    await until(
      () => hub.services.workers.connected[0]!.report.packets_captured,
      (packets) => packets === 3,
    )
    await pass(6000, ring)
    const { gaps } = await until(
      () => all.get('anew'),
      (record) => record.gaps.length > 0,
    )
    expect(gaps).toMatchObject([{ node: 'n1', reason: expect.stringContaining('restarted') }])
  })

  it('ends at its size, and keeps no more than that', async () => {
    const all = await begin()
    const packets = traffic()
    const ring = new Ring(packets)
    await ring.join('n1')
    const max_size = Math.floor(captureFile(packets).length / 2)
    await all.start(request('four', { max_size }), 'ann')
    await pass(span(packets) + 6000, ring)
    await until(
      () => all.get('four').status,
      (status) => status !== 'running',
    )
    expect(all.get('four')).toMatchObject({ status: 'completed', ended_by: 'size' })
    await pass(3000, ring)
    const { nodes } = await kept('four')
    expect(nodes[0]!.size_bytes).toBeLessThanOrEqual(max_size)
    expect(nodes[0]!.packet_count).toBeGreaterThan(0)
    const { total } = await calls('four')
    expect(total).toBeGreaterThan(10)
    expect(total).toBeLessThan(100)
  })

  it('fails with its reason where there is no room, and what was kept can be asked', async () => {
    const all = await begin('64Mi')
    const ring = new Ring(traffic())
    await ring.join('n1')
    await all.start(request('five'), 'ann')
    await pass(6000, ring)
    await until(
      () => all.get('five').nodes[0]?.packet_count ?? 0,
      (count) => count > 0,
    )
    const { room } = hub.services.snapshots
    const taken = room.free - 200_000
    room.occupy(taken)
    ring.packets.push(...httpPackets({ requests: 200, start: T0 + 30_000, bodySize: 2000 }))
    await pass(60_000, ring)
    await until(
      () => all.get('five').status,
      (status) => status !== 'running',
    )
    expect(all.get('five')).toMatchObject({
      status: 'failed',
      ended_by: 'failure',
      error: expect.stringMatching(/^no space/),
    })
    room.give(taken)
    await pass(3000, ring)
    await kept('five')
    expect((await calls('five')).total).toBeGreaterThan(0)
    await expect(all.start(request('six'), 'ann')).resolves.toBeDefined()
    room.occupy(room.free)
    await expect(all.start(request('seven'), 'ann')).rejects.toMatchObject({ name: 'OutOfSpace' })
  })

  it('begins when it was scheduled to, and turns indexing on only where it was asked to', async () => {
    const all = await begin()
    await all.start(request('late', { start: T0 + 10_000, resume_indexing: true }), 'ann')
    await all.start(request('later', { start: T0 + 10_000 }), 'bob')
    expect([all.get('late').status, running, resumed.length]).toEqual(['scheduled', 0, 0])
    clock += 10_001
    await until(
      () => running,
      (count) => count === 2,
    )
    expect(resumed).toEqual(['ann'])
  })

  it('asks the ring only for those whom its filter names by address', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    await ring.join('n1')
    await all.start(request('narrow', { kfl: 'dst.ip == "10.0.0.2" and dst.port == 80' }), 'ann')
    await pass(6000, ring)
    const [window] = await until(
      () => ring.windows,
      (list) => list.length > 0,
    )
    expect(window!.parties?.length).toBeGreaterThan(0)
  })

  it('takes packets of a node that was away when it comes back', async () => {
    const all = await begin()
    const packets = traffic()
    const [one, two] = [new Ring(packets), new Ring(packets)]
    await one.join('n1')
    await all.start(request('away'), 'ann')
    await pass(span(packets) + 6000, one)
    await two.join('n2')
    await pass(6000, one)
    await until(
      () => all.get('away').nodes.filter(({ slices }) => slices > 0).length,
      (count) => count === 2,
    )
    await all.stop('away', 'request')
    await pass(3000, one)
    expect((await kept('away')).nodes.map(({ packet_count }) => packet_count)).toEqual([
      packets.length,
      packets.length,
    ])
  })

  it('leaves a snapshot alone that a user made under its name, and reports it', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    await ring.join('n1')
    await all.start(request('mine'), 'ann')
    await pass(6000, ring)
    await until(
      () => all.get('mine').nodes[0]?.slices ?? 0,
      (slices) => slices > 0,
    )
    const capture = captureFile(traffic())
    await hub.send('POST', '/api/snapshots/rec-mine/import', capture)
    await all.stop('mine', 'request')
    await pass(3000, ring)
    const { error } = await until(
      () => all.get('mine'),
      ({ status }) => status === 'failed',
    )
    expect(error).toMatch(/cannot save/)
    expect(hub.services.snapshots.get('rec-mine')).toMatchObject({ source: 'import', status: 'completed' })
    // Its end may still be being written down.
    await until(
      () =>
        all.remove('mine').then(
          () => true,
          () => false,
        ),
      Boolean,
    )
    expect(hub.services.snapshots.list()).toHaveLength(1)
  })

  it('is deleted with its database, but not while it runs', async () => {
    const all = await begin()
    const ring = new Ring(traffic())
    await ring.join('n1')
    const before = hub.services.snapshots.room.used
    await all.start(request('gone'), 'ann')
    await expect(all.remove('gone')).rejects.toMatchObject({ status: 409 })
    await pass(10_000, ring)
    await until(
      () => all.get('gone').nodes[0]?.slices ?? 0,
      (slices) => slices > 0,
    )
    await all.stop('gone', 'request')
    await pass(3000, ring)
    await kept('gone')
    await calls('gone')
    await all.remove('gone')
    expect(hub.services.snapshots.list()).toEqual([])
    expect(hub.services.snapshots.room.used).toBe(before)
    expect(await readdir(join(hub.folder, 'own-recordings'))).toEqual([])
  })
})
