import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findEvents } from '@tapdeck/recording'
import { scrubCommandLine } from '@tapdeck/redact/command-line'
import { afterEach, describe, expect, it } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const pod = (name: string, ip: string, namespace = 'shop') => ({ name, namespace, ips: [ip] })
const put = (...pods: object[]) => hub.send('PUT', '/api/inventory', { pods, services: [] })
const started = (ts: number, pid: number) => ({
  ts,
  kind: 'os',
  type: 'process_start',
  node: 'n1',
  pid,
  comm: 'curl',
  cmdline: 'curl -u me:secret',
})
const types = (json: { events: { type: string; name?: string }[] }) =>
  json.events.map(({ type, name }) => `${type} ${name}`)

describe('cluster events', () => {
  it('report each change of the inventory', async () => {
    hub = await startHub()
    await put(pod('a', '10.0.0.1'), pod('b', '10.0.0.2'))
    await put(pod('a', '10.0.0.7'))
    const { json } = await hub.get('/mcp/events?kind=cluster&order=oldest')
    expect(types(json)).toEqual(['pod_added a', 'pod_added b', 'pod_removed b', 'pod_changed a'])
    expect(json).toMatchObject({ total: 4, truncated: false })
    expect(types((await hub.get('/mcp/events?type=pod_changed')).json)).toEqual(['pod_changed a'])
    expect(types((await hub.get('/mcp/events?name=b&order=oldest')).json)).toEqual([
      'pod_added b',
      'pod_removed b',
    ])
  })

  it('are not reported again after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapdeck-events-'))
    try {
      hub = await startHub({ folder })
      await put(pod('a', '10.0.0.1'))
      await hub.stop()
      hub = await startHub({ folder })
      // Names that a caller gave outlive the process, so nothing changed.
      expect(types((await hub.get('/mcp/events?order=oldest')).json)).toEqual(['pod_added a'])
      await put()
      await hub.stop()
      hub = await startHub({ folder })
      expect(types((await hub.get('/mcp/events?order=oldest')).json)).toEqual([
        'pod_added a',
        'pod_removed a',
      ])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('GET /mcp/events', () => {
  const os = (...events: { ts: number }[]): Answers => ({
    events: ({ order, limit, from = order === 'newest' ? Number.POSITIVE_INFINITY : 0 }) => {
      const sorted = [...events].sort((a, b) => (order === 'newest' ? b.ts - a.ts : a.ts - b.ts))
      const listed = sorted.filter(({ ts }) => (order === 'newest' ? ts <= from : ts >= from))
      return { events: listed.slice(0, limit), total: events.length, more: listed.length > limit }
    },
  })

  it('goes through all pages of several nodes, each event once', async () => {
    hub = await startHub()
    await hub.worker('n1', os(...[1, 2, 2, 2, 3, 5].map((ts, at) => started(ts, at))))
    await hub.worker('n2', os(...[2, 2, 4].map((ts, at) => started(ts, 100 + at))))
    for (const order of ['newest', 'oldest']) {
      const seen: number[] = []
      let cursor = ''
      do {
        const { json } = await hub.get(`/mcp/events?order=${order}&limit=2${cursor && `&cursor=${cursor}`}`)
        expect(json.total).toBe(9)
        seen.push(...json.events.map(({ pid }: { pid: number }) => pid))
        cursor = json.next_cursor ?? ''
      } while (cursor)
      expect(seen).toHaveLength(9)
      expect(new Set(seen).size).toBe(9)
    }
  })

  it('says which node has none, and why', async () => {
    hub = await startHub()
    await hub.worker('n1', {
      events: () => ({ events: [], total: 0, more: false, reason: 'no right to watch processes' }),
    })
    const { json } = await hub.get('/mcp/events')
    expect(json.unavailable).toEqual([{ node: 'n1', reason: 'no right to watch processes' }])
  })

  it('shows a role that is narrowed to namespaces what happened in those, and no processes', async () => {
    hub = await startHub({
      set: [
        'tap.auth.enabled=true',
        'tap.auth.roles.team.namespaces={shop}',
        'tap.auth.roles.team.capabilities={dissection:live}',
      ],
    })
    hub.services.directory.set('test', {
      pods: [pod('a', '10.0.0.1'), pod('b', '10.0.0.2', 'bank'), pod('c', '10.0.0.3')],
      services: [],
      nodes: [{ name: 'n1', ips: ['10.1.0.1'] }],
    })
    await hub.worker('n1', os(started(1, 1)))
    const { headers } = giveToken(hub.folder, 'team')
    const { json } = await hub.get('/api/events?order=oldest', headers)
    expect(types(json)).toEqual(['pod_added a', 'pod_added c'])
    expect(json.total).toBe(2)
    const first = (await hub.get('/api/events?order=oldest&limit=1', headers)).json
    const rest = await hub.get(`/api/events?order=oldest&limit=1&cursor=${first.next_cursor}`, headers)
    expect([...types(first), ...types(rest.json)]).toEqual(['pod_added a', 'pod_added c'])
    expect((await hub.get('/api/events?kind=os', headers)).json.total).toBe(0)
  })

  it('refuses a foreign cursor, a window the wrong way round and an unknown snapshot', async () => {
    hub = await startHub()
    expect((await hub.get('/mcp/events?cursor=zzz')).json).toMatchObject({ status: 400, code: 'bad_cursor' })
    expect((await hub.get('/mcp/events?start=5&end=4')).status).toBe(400)
    expect((await hub.get('/mcp/events?db=nope/x')).json).toMatchObject({ status: 404 })
  })
})

describe('command lines', () => {
  const process = {
    ts: 5000,
    kind: 'os' as const,
    type: 'process_start',
    node: 'n1',
    pid: 7,
    comm: 'curl',
    cmdline: 'curl --retry 3 -H Authorization: Bearer hunter2 https://shop/',
  }
  const shown = 'curl --retry 3 -H Authorization: *** https://shop/'
  const line = Buffer.from(`${JSON.stringify(process)}\n`)
  const call = {
    id: 'n1/1/0',
    ts: 5000,
    src: { ip: '10.0.0.1', port: 1, process: 'curl' },
    dst: { ip: '10.0.0.2', port: 80 },
    proto: 'http',
  }
  /** A worker of an earlier version: it sends what it has, and knows nothing of hidden command lines. */
  const old: Answers = {
    events: (query) => findEvents([line], { ...query, hide_cmdline: false }, (cmdline) => cmdline),
    call: () => ({ call }),
    boundaries: () => ({ oldest_ts: 0, newest_ts: 9000, size_bytes: 0, packet_count: 0, dropped_packets: 0 }),
    window: () => ({
      packet_count: 0,
      size_bytes: 0,
      dropped_packets: 0,
      start_ts: null,
      end_ts: null,
      partial: false,
    }),
    async event_window(_input, worker, id) {
      await worker.piece(id, line)
      return { count: 1 }
    },
  }
  const today: Answers = {
    ...old,
    events: async (query) => ({
      ...(await findEvents([line], query, scrubCommandLine)),
      ...(query.hide_cmdline && { cmdline_hidden: true }),
    }),
  }

  async function start(answers: Answers) {
    hub = await startHub({
      set: [
        'tap.auth.enabled=true',
        'tap.auth.roles.reader.capabilities={dissection:live,snapshot:read,events:cmdline}',
      ],
    })
    await hub.worker('n1', answers)
    const roles = ['svc-admin', 'svc-realtime', 'svc-snapshot', 'svc-viewer', 'reader']
    const headers = Object.fromEntries(roles.map((role) => [role, giveToken(hub.folder, role).headers]))
    await hub.send('POST', '/api/snapshots', { name: 's1', start: 1000, end: 9000 }, headers['svc-admin'])
    await until(
      () => hub.get('/api/snapshots/s1', headers['svc-admin']),
      ({ json }) => json.status === 'completed',
    )
    return headers
  }

  it.each([
    ['of today', today],
    ['of an earlier version', old],
  ])('are for roles with events:cmdline, and never with secrets, from a worker %s', async (_, answers) => {
    const headers = await start(answers)
    const places = ['/api/events?kind=os', '/api/events?db=s1&kind=os', '/api/calls/n1/1/0']
    for (const [role, own] of Object.entries(headers)) {
      const reads = role === 'svc-admin' || role === 'reader'
      for (const path of [
        ...places,
        ...(role === 'svc-admin' ? places.map((one) => one.replace('api', 'mcp')) : []),
      ]) {
        const { status, text, json } = await hub.get(path, own)
        expect(text).not.toContain('hunter2')
        if (status === 403) continue
        if (json.events === undefined) {
          // The events of a call are found by name, which such a worker cannot do without command lines.
          expect([answers, reads, path]).toEqual([old, false, '/api/calls/n1/1/0'])
          continue
        }
        expect(json.events).toMatchObject([{ pid: 7, comm: 'curl' }])
        expect([role, path, json.events[0].cmdline]).toEqual([role, path, reads ? shown : undefined])
      }
    }
  })

  it.each([
    ['/api/events?', today],
    ['/api/events?db=s1&', today],
    ['/api/events?', old],
    ['/api/events?db=s1&', old],
  ])('are not found by name where they are hidden: %s', async (path, answers) => {
    const headers = await start(answers)
    const found = async (role: string, name: string) => {
      const { json } = await hub.get(`${path}kind=os&name=${name}`, headers[role])
      return json.total
    }
    expect(await found('reader', 'retry')).toBe(1)
    expect(await found('svc-viewer', 'retry')).toBe(0)
    if (answers === today || path.includes('db')) {
      expect(await found('reader', 'hunter')).toBe(0)
      expect(await found('svc-viewer', 'curl')).toBe(1)
    } else {
      const { json } = await hub.get(`${path}name=curl`, headers['svc-viewer'])
      expect(json.unavailable).toEqual([
        { node: 'n1', reason: expect.stringContaining('older than the hub') },
      ])
    }
  })
})

describe('a snapshot', () => {
  it('carries the events of its window, which go with it', async () => {
    hub = await startHub()
    await put(pod('a', '10.0.0.1'))
    const lines = [started(Date.now(), 7), started(Date.now(), 8)].map(
      (event) => `${JSON.stringify(event)}\n`,
    )
    await hub.worker('n1', {
      boundaries: () => ({
        oldest_ts: Date.now() - 60_000,
        newest_ts: Date.now(),
        size_bytes: 0,
        packet_count: 0,
        dropped_packets: 0,
      }),
      window: () => ({
        packet_count: 0,
        size_bytes: 0,
        dropped_packets: 0,
        start_ts: null,
        end_ts: null,
        partial: false,
      }),
      async event_window(_input, worker, id) {
        await worker.piece(id, Buffer.from(lines.join('')))
        return { count: 2 }
      },
    })
    await hub.send('POST', '/mcp/snapshots', { name: 's1', duration: '1m' })
    const made = await until(
      () => hub.get('/mcp/snapshots/s1').then(({ json }) => json),
      ({ status }) => status === 'completed' || status === 'failed',
    )
    expect(made).toMatchObject({ status: 'completed', events: { cluster: 1, os: 2 } })
    expect(made.size_bytes).toBeGreaterThan(lines.join('').length)
    const { json } = await hub.get('/mcp/events?db=s1&kind=os&pid=8')
    expect(json.events).toMatchObject([{ pid: 8, type: 'process_start' }])
    expect((await hub.get('/mcp/events?db=s1/any')).json.code).toBe('unknown_dissection')
    const used = hub.services.snapshots.room.used
    await hub.send('DELETE', '/mcp/snapshots/s1')
    expect(used - hub.services.snapshots.room.used).toBe(made.size_bytes)
    expect((await hub.get('/mcp/events?db=s1')).status).toBe(404)
  })
})
