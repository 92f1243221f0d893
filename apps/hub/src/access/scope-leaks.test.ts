import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { StreamMessage } from '@tapdeck/api'
import type { BuiltPacket } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { bundleThread } from '../testing/bundle-thread.ts'
import type { Answers, FakeWorker } from '../testing/fake-worker.ts'
import { type GivenToken, giveToken } from '../testing/give-token.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { keysReport } from '../testing/keys-report.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

/**
 * Two hubs: in one a caller who may see `shop` is alone with the traffic of `shop`; in the other much goes on besides,
 * earlier, later and in between. Whatever such a caller asks, both must answer the same: then there is no answer,
 * count, order, time or error from which the rest could be learned.
 */
let thread: URL
let alone: World
let crowded: World

interface World {
  readonly hub: TestHub
  readonly team: GivenToken
  readonly admin: GivenToken
  readonly worker: FakeWorker
}

const T0 = 1_700_000_000_000
const ends = { cart: '10.0.0.1', orders: '10.0.0.2', spy: '10.9.0.1', vault: '10.9.0.2', stray: '192.0.2.7' }
const traffic = (
  from: keyof typeof ends,
  to: keyof typeof ends,
  mark: string,
  at: number,
  requests: number,
) => httpPackets({ client: ends[from], server: ends[to], mark, start: T0 + at, requests })

const own = [
  ...traffic('cart', 'orders', 'shop', 0, 40),
  ...traffic('cart', 'vault', 'bought', 20_000, 20),
  ...traffic('stray', 'orders', 'visit', 40_000, 10),
]
const others = [
  ...traffic('spy', 'vault', 'hush42', -500_000, 60),
  ...traffic('spy', 'vault', 'hush42', 10_000, 30),
  ...traffic('stray', 'vault', 'hush43', 30_000, 20),
  ...traffic('spy', 'vault', 'hush42', 900_000, 60),
]
/** What only the other traffic holds. */
const telltale = /hush42|hush43|"spy/

const roles = [
  'tap.auth.roles.team.capabilities={dissection:live,snapshot:read,snapshot:write,snapshot:dissection,settings:write,dissection:control}',
  'tap.auth.roles.team.namespaces={shop}',
]

async function world(packets: readonly BuiltPacket[]): Promise<World> {
  const hub = await startHub({ thread, set: ['tap.auth.enabled=true', ...roles] })
  hub.services.directory.set('test', {
    pods: [
      { name: 'cart-1', namespace: 'shop', ips: [ends.cart] },
      ...(packets.length > own.length ? [{ name: 'spy-1', namespace: 'secret', ips: [ends.spy] }] : []),
    ],
    services: [
      { name: 'orders', namespace: 'shop', ips: [ends.orders] },
      { name: 'vault', namespace: 'secret', ips: [ends.vault] },
    ],
  })
  const admin = giveToken(hub.folder, 'svc-admin', { name: 'admin' })
  const team = giveToken(hub.folder, 'team', { name: 'team' })
  const capture = captureFile(packets.toSorted((a, b) => a.time - b.time))
  await hub.send('POST', '/api/snapshots/s1/import?node=n1', capture, admin.headers)
  await hub.send('POST', '/api/dissections', { snapshot_name: 's1', dissection_name: 'all' }, admin.headers)
  const { json } = await until(
    () => hub.get('/api/dissections/s1/all', admin.headers),
    ({ json: seen }) => seen.status === 'completed' || seen.status === 'failed',
  )
  expect(json.errors).toEqual([])
  // Live, the node answers out of the same calls.
  const [source] = hub.services.dissections.sources('s1/all')
  const passing: Answers = {
    calls: (input) => source!.ask('calls', input),
    call: (input) => source!.ask('call', input),
    count: (input) => source!.ask('count', input),
    stats: (input) => source!.ask('stats', input),
    values: (input) => source!.ask('values', input),
    flows: (input) => source!.ask('flows', input),
    summary: (input) => source!.ask('summary', input),
  }
  const report = {
    packets_captured: packets.length,
    packets_dissected: packets.length,
    calls: packets.length,
    duplicates: { packets: 1, calls: 1 },
    duplicate_captures: 1,
    unnamed_calls: 1,
    undecided_ownership: 1,
    tls_keys: { ...keysReport, secrets: packets.length },
  }
  const worker = await hub.worker('n1', passing, report)
  return { hub, team, admin, worker }
}

beforeAll(async () => {
  thread = await bundleThread()
  ;[alone, crowded] = [await world(own), await world([...own, ...others])]
}, 60_000)
afterAll(async () => {
  await alone?.hub.stop()
  await crowded?.hub.stop()
  await rm(thread)
})

const kfl = encodeURIComponent
const both = ['', '&db=s1/all']
const filters = [
  '',
  'true',
  'http',
  'dst.ns == "secret"',
  'src.ns == "secret"',
  'src.ns == "secret" and dst.ns == "secret"',
  'src.pod == "spy-1"',
  'not (src.ns == "shop")',
  'not (dst.ns == "shop") and not (src.ns == "shop")',
  'src.ns != "shop" or dst.ns != "shop"',
  'true or src.ns == "secret"',
  '"secret" in namespaces',
  'dst.svc == "vault"',
  `src.ip == "${ends.spy}"`,
  `dst.ip == "${ends.vault}"`,
  'src.ip in 10.9.0.0/16',
  'request.path contains "hush42"',
  'path startswith "/hush42"',
  'request.headers["x-mark"] == "hush42"',
  'response.body contains "hush42"',
  'response.body contains "bought"',
  'has(src.ns)',
  'size(request.path) > 0',
  'tcp_handshake_p50_us >= 0',
  'tcp_handshake_p99_us > 1',
  'dst.svc == "vault" and tcp_handshake_p90_us >= 0',
  'dst.svc == "nothing-of-the-kind"',
  'status_code == 500',
]

const questions: string[] = [
  ...both.flatMap((db) => filters.map((text) => `/api/calls?kfl=${kfl(text)}${db}`)),
  ...both.flatMap((db) => [
    `/api/calls?limit=7&order=oldest${db}`,
    `/api/calls?format=full&limit=200${db}`,
    `/api/calls?format=raw&limit=200&kfl=${kfl('dst.svc == "vault"')}${db}`,
    `/api/calls?end=${T0 - 1}${db}`,
    `/api/calls?start=${T0 + 899_000}${db}`,
    `/api/calls?start=${T0 + 10_000}&end=${T0 + 12_000}${db}`,
    `/api/calls?start=${T0 - 600_000}&end=${T0 + 990_000}&kfl=${kfl('path == "/none"')}${db}`,
    ...['service', 'workload', 'path', 'status', 'proto', 'src', 'dst', 'node', 'ns', 'time'].map(
      (group) => `/api/stats?group_by=${group}${db}`,
    ),
    `/api/stats?kfl=${kfl('dst.ns == "secret"')}${db}`,
    `/api/stats?kfl=${kfl('response.body contains "hush42"')}${db}`,
    `/api/stats?group_by=time&limit=5${db}`,
    `/api/stats?start=${T0 + 899_000}${db}`,
    ...['pod', 'service', 'namespace', 'node'].map((by) => `/api/flows?aggregate=${by}${db}`),
    `/api/flows?limit=1${db}`,
    `/api/flows?ns=secret${db}`,
    `/api/flows?ip=${ends.spy}${db}`,
    `/api/flows?ip=${ends.vault}&order=newest${db}`,
    `/api/flows?pod=spy-1${db}`,
    `/api/flows?svc=vault&order=packets${db}`,
    `/api/flows?end=${T0 - 1}${db}`,
    `/api/flows/summary?${db}`,
    `/api/flows/summary?start=${T0 + 899_000}${db}`,
    ...[
      'src.pod == "',
      'src.ns == "s',
      'path == "/h',
      'dst.svc == "',
      'tcp_handshake_p50_us == ',
      'src.ip == "10.9',
    ].map((text) => `/api/kfl/complete?kfl=${kfl(text)}&cursor=${text.length}${db}`),
    `/api/calls/n1/1/0?${db}`,
  ]),
  '/api/databases',
  '/api/resolve/workloads',
  '/api/resolve/workloads?namespace=secret',
  '/api/resolve/workloads?name=spy',
  '/api/resolve/ips',
  `/api/resolve/ips?ip=${ends.spy}`,
  `/api/resolve/ips?ip=${ends.vault}`,
  '/api/inventory',
  '/api/status',
  '/api/whoami',
  `/api/kfl/check?kfl=${kfl('src.ns == "secret"')}`,
  `/api/kfl/explain?kfl=${kfl('src.ns == "secret"')}`,
  '/api/kfl/fields',
]

/** Clock times differ from hub to hub and say nothing. */
function timeless(text: string): string {
  return text
    .replaceAll(/"(since|started_at|pauses_at|idle_since)":"[^"]*"/g, '')
    .replaceAll(/since \d{4}-[\dT:.-]+Z/g, '')
}

async function ask({ hub, team }: World, path: string) {
  const { status, text } = await hub.get(path, team.headers)
  return { status, text: timeless(text) }
}

describe('a caller who may see one namespace', () => {
  it('has something to hide from: an admin sees the rest', async () => {
    const { hub, admin } = crowded
    const { json } = await hub.get('/api/calls?db=s1/all&limit=1', admin.headers)
    const { json: seen } = await alone.hub.get('/api/calls?db=s1/all&limit=1', alone.admin.headers)
    expect([json.total, seen.total]).toEqual([240, 70])
  })

  it.each(questions)('%s', async (path) => {
    const [one, other] = [await ask(alone, path), await ask(crowded, path)]
    expect(other).toEqual(one)
    if (!path.includes('hush42') && !path.includes('spy')) expect(other.text).not.toMatch(telltale)
  })

  it('sees his own, and what it talks with, whole', async () => {
    const { hub, team } = crowded
    const { json } = await hub.get('/api/calls?db=s1/all&limit=1000&format=full', team.headers)
    expect(json).toMatchObject({ total: 70, total_is: 'exact', truncated: false })
    const { json: bought } = await hub.get(
      `/api/calls?db=s1/all&format=full&kfl=${kfl('dst.svc == "vault"')}`,
      team.headers,
    )
    expect(bought.calls).toHaveLength(20)
    expect(bought.calls[0].dst).toMatchObject({ svc: 'vault', ns: 'secret' })
    expect(bought.calls[0].response.body).toContain('bought')
    expect(Object.keys(bought.calls[0]).filter((name) => name.startsWith('tcp_handshake'))).toEqual([])
    const { json: orders } = await hub.get(
      `/api/calls?db=s1/all&format=full&kfl=${kfl('dst.svc == "orders"')}`,
      team.headers,
    )
    expect(orders.calls[0].tcp_handshake_p50_us).toBeGreaterThanOrEqual(0)
  })

  it('gets no call of others by its id, nor learns that there is one', async () => {
    const { hub, team, admin } = crowded
    for (const db of both) {
      const { json } = await hub.get(
        `/api/calls?limit=1000&kfl=${kfl('src.ns == "secret"')}${db}`,
        admin.headers,
      )
      expect(json.calls.length).toBeGreaterThan(100)
      const missing = await hub.get(`/api/calls/n1/99/0?${db}`, team.headers)
      for (const { id } of json.calls.slice(0, 5)) {
        const { status, text } = await hub.get(`/api/calls/${id}?${db}`, team.headers)
        expect(status).toBe(404)
        expect(text.replace(id, '')).toBe(missing.text.replace('n1/99/0', ''))
      }
    }
  })

  it('pages contain no foreign calls, also with cursors of others', async () => {
    const { hub, team, admin } = crowded
    const walk = async (headers: Record<string, string>) => {
      const ids: string[] = []
      let cursor = ''
      do {
        const { json } = await hub.get(
          `/api/calls?db=s1/all&limit=11${cursor && `&cursor=${cursor}`}`,
          headers,
        )
        ids.push(...json.calls.map(({ id }: { id: string }) => id))
        cursor = json.next_cursor ?? ''
      } while (cursor !== '')
      return ids
    }
    const mine = await walk(team.headers)
    expect(new Set(mine).size).toBe(70)
    expect((await walk(admin.headers)).length).toBe(240)
    const { json } = await hub.get('/api/calls?db=s1/all&limit=11', admin.headers)
    const foreign = await hub.get(`/api/calls?db=s1/all&limit=11&cursor=${json.next_cursor}`, team.headers)
    expect([foreign.status, foreign.json.code]).toEqual([400, 'bad_cursor'])
  })

  it.each([
    'src.ns == "x") or (src.ns == "secret"',
    'true) or (true',
    'true)) or ((true',
    ') or true or (false',
    'true // ',
    'true /* ',
    '"',
    "x == '",
    'true)\n or\n(true',
  ])('cannot break out of his brackets with %j', async (text) => {
    for (const { hub, team } of [alone, crowded]) {
      const { status, json } = await hub.get(`/api/calls?db=s1/all&kfl=${kfl(text)}`, team.headers)
      expect([status, json.code]).toEqual([400, 'bad_filter'])
      expect(JSON.stringify(json)).not.toContain('src.ns in')
    }
  })

  it.each([
    ['GET', '/api/snapshots'],
    ['GET', '/api/snapshots/s1'],
    ['GET', '/api/snapshots/s1/pcap'],
    ['GET', '/api/snapshots/none/pcap'],
    ['POST', '/api/snapshots'],
    ['POST', '/api/snapshots/x/import'],
    ['DELETE', '/api/snapshots/s1'],
    ['GET', '/api/dissections'],
    ['GET', '/api/dissections/s1/all'],
    ['GET', '/api/dissection-status'],
    ['GET', '/delayed_dissection.DelayedDissection/GetStatus'],
    ['POST', '/delayed_dissection.DelayedDissection/Start'],
    ['DELETE', '/api/dissections/s1/all'],
    ['GET', '/api/data-boundaries'],
    ['PUT', '/api/inventory'],
    ['GET', '/metrics'],
    ['GET', '/mcp/calls'],
    ['GET', '/mcp/flows/summary'],
    ['POST', '/mcp'],
  ])('is refused %s %s, before anything is looked at', async (method, path) => {
    const answers = await Promise.all(
      [alone, crowded].map(
        async ({ hub, team }) =>
          (await hub.send(method, path, method === 'GET' ? undefined : {}, team.headers)).json,
      ),
    )
    expect(answers[0].status).toBe(403)
    expect(answers[1]).toEqual(answers[0])
  })

  it('compares windows without seeing who else changed', async () => {
    const path = `/api/diff?a_db=s1/all&b_db=s1/all&a_start=${T0 - 600_000}&a_end=${T0 + 15_000}&b_start=${T0 + 15_000}&b_end=${T0 + 990_000}`
    const [one, other] = [await ask(alone, path), await ask(crowded, path)]
    expect(one.status).toBe(200)
    expect(other).toEqual(one)
  })

  it('streams only what the caller may see, and no counts of nodes', async () => {
    const { hub, team, admin, worker } = crowded
    const open = async (headers: Record<string, string>, text: string) => {
      const heard: StreamMessage[] = []
      const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream?kfl=${kfl(text)}`, { headers })
      socket.on('message', (data) => heard.push(JSON.parse(String(data))))
      await once(socket, 'open')
      await until(
        () => heard.some(({ kind }) => kind === 'filtered') && heard.some(({ kind }) => kind === 'nodes'),
        Boolean,
      )
      return { socket, heard }
    }
    const narrowed = await open(team.headers, 'src.ns == "secret" or true')
    const whole = await open(admin.headers, 'src.ns == "secret" or true')
    const subscribed = await until(
      () =>
        worker.asked.flatMap(({ request, input }) =>
          request === 'subscribe' ? [(input as { kfl: string }).kfl] : [],
        ),
      (found) => found.length >= 2,
    )
    expect(subscribed).toContain(
      'not decrypted and ((src.ns in ["shop"] or dst.ns in ["shop"]) and (src.ns == "secret" or true))',
    )
    expect(subscribed.filter((text) => !text.includes('"shop"'))).toEqual(['src.ns == "secret" or true'])
    const nodes = (heard: StreamMessage[]) => heard.find((one) => one.kind === 'nodes')
    expect(nodes(narrowed.heard)).toMatchObject({
      nodes: [{ name: 'n1', packets_captured: 0, calls: 0, loss: {} }],
    })
    expect(nodes(whole.heard)).not.toMatchObject({ nodes: [{ packets_captured: 0 }] })
    for (const count of ['duplicates', 'duplicate_captures', 'unnamed_calls', 'undecided_ownership']) {
      expect(nodes(narrowed.heard)).not.toHaveProperty(`nodes.0.${count}`)
      expect(nodes(whole.heard)).toHaveProperty(`nodes.0.${count}`)
    }
    expect(nodes(narrowed.heard)).not.toHaveProperty('nodes.0.tls_keys')
    expect(nodes(whole.heard)).toHaveProperty('nodes.0.tls_keys.reason')
    narrowed.socket.send(JSON.stringify({ kind: 'filter', kfl: 'true) or (true' }))
    await until(() => narrowed.heard.some(({ kind }) => kind === 'problem'), Boolean)
    expect(narrowed.heard.find((one) => one.kind === 'filtered')).toEqual({
      kind: 'filtered',
      kfl: 'src.ns == "secret" or true',
    })
    narrowed.socket.terminate()
    whole.socket.terminate()
  })
})
