import { once } from 'node:events'
import {
  anyReader,
  type Capability,
  linkPath,
  type Needed,
  type Operation,
  type OperationName,
  operations,
  type StreamRequest,
  streamPath,
  textsIn,
  workerMessages,
} from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { trials } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Route, routes } from '../http/routes.ts'
import { streamRequestShape } from '../live/stream-request.ts'
import { toolGroups } from '../mcp/tool-list.ts'
import { argumentsOf } from '../mcp/tools.ts'
import {
  type Attacker,
  type AttackWorld,
  attackers,
  attackWorld,
  KEPT_FILTER,
  keptActions,
  keptDatabase,
  MARK,
  SEALED,
} from '../testing/attack-world.ts'
import { idleReport } from '../testing/fake-worker.ts'
import { credential } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

/**
 * Generated from the tables: every attacker at every address of every operation, every tool, every message of the stream
 * and every message of the worker link. What must come of each follows from the tables alone. A new operation is tried
 * by a quarter of the attackers (by all of them in CI), and fails here until `inputs` has what it needs; a new message fails until it is written down.
 */
const thread = threadForTests()
let world: AttackWorld
beforeAll(async () => {
  world = await attackWorld(thread())
}, 60_000)
afterAll(() => world?.stop())

type Input = Readonly<Record<string, unknown>>
const databases: readonly Input[] = [{}, { db: 'recording' }, { db: 'a/b' }, { db: keptDatabase }]
/** Inputs that pass an operation's own checks, so that only rights decide. One that needs none is not here. */
const inputs: Partial<Record<OperationName, readonly Input[]>> = {
  // Waiting for a whole one of each attacker would take minutes.
  capture_and_dissect: [{ nodes: ['nowhere'] }],
  // Live packets would have no end.
  stream_packets: [{ start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-01T00:01:00Z' }],
  create_snapshot: [{ name: 'matrix', duration: '1m' }],
  start_snapshot_dissection: [{ snapshot_name: 'matrix', dissection_name: 'all' }],
  get_snapshot_dissection_status: [{ snapshot_name: MARK, dissection_name: 'all' }],
  check_filter: [{ kfl: 'http' }],
  explain_kfl: [{ kfl: 'http' }],
  complete_kfl: [{ kfl: 'path == "', cursor: 9 }],
  save_filter: [{ kfl: KEPT_FILTER }],
  set_inventory: [{ pods: [], services: [] }],
  start_recording: [{ name: 'matrix', kfl: KEPT_FILTER, start: Date.now() + 3_600_000 }],
  create_agent: [{ name: 'matrix', kfl: KEPT_FILTER, enabled: false, actions: keptActions }],
  update_snapshot: [{ notes: 'seen' }],
  update_agent: [{ kfl: KEPT_FILTER }],
  create_token: [{ name: 'matrix', role: 'svc-viewer' }],
  admit_recorder: [{ namespace: 'shop', pod: 'web-1' }],
  preview_redaction: [{ id: 'n1/1/0' }],
  list_api_calls: [...databases, { format: 'full' }],
  get_api_call: databases,
  get_api_stats: [
    {},
    { db: 'a/b' },
    { group_by: 'path' },
    { group_by: 'ns' },
    { group_by: 'time' },
    { group_by: 'src,path' },
  ],
  list_l4_flows: [{}, { db: 'a/b' }, { aggregate: 'namespace' }],
  get_l4_flow_summary: [{}, { db: 'a/b' }],
  list_events: databases,
  explain_call: [{}, { db: 'a/b' }],
  find_suspects: [{}, { db: 'a/b' }],
  search_fields: [{ query: MARK }, { query: MARK, db: 'a/b' }],
  get_topology: [{}, { db: 'a/b' }, { by: 'pod' }, { by: 'namespace' }],
  diff_api_calls: [
    { a_end: '2026-01-01T00:00:00Z', b_start: '2026-01-01T00:00:00Z' },
    { a_db: 'a/b', b_db: 'a/c' },
  ],
}
/** What a role that sees redacted calls is refused: packets cannot be redacted, and neither can what agents send out. */
const packets = new Set<OperationName>([
  'start_recording',
  'export_snapshot_pcap',
  'stream_packets',
  'create_agent',
  'update_agent',
  'enable_agent',
  'test_agent',
])
/** What it is refused where the filter is one that it may not use. */
const filters = new Set<OperationName>(['save_filter', 'delete_saved_filter'])

interface Case {
  readonly route: Route
  readonly input: Input
}
const cases: readonly Case[] = routes.flatMap((route) =>
  (inputs[route.operation] ?? [{}]).map((input) => ({ route, input })),
)

/** The capabilities of which an attacker needs one; empty: it has what is needed. */
function lackedBy({ held = [] }: Attacker, needed: Needed): readonly Capability[] {
  const any = typeof needed === 'string' ? [needed] : needed.anyOf
  return any.some((one) => held.includes(one)) ? [] : any
}

type Outcome = readonly [status: number, code: string, missing?: string]

/** Requests are dealt out in as many shares. Of each row of the matrix so many are tried: by each attacker another. */
const SHARES = 4
const TRIED = trials(SHARES, 1)
const order = Object.keys(attackers)

/** Whether an attacker tries the request. One that may do everything tries all: what it sees, others must not. */
function isTried(attacker: string, at: number): boolean {
  return attacker === 'svc-admin' || (at + order.indexOf(attacker)) % SHARES < TRIED
}

/** What must come of a request; undefined: it is let in. */
function refusal(who: Attacker, { route, input }: Case): Outcome | undefined {
  const { capability, scope, alsoNeeds = [] } = operations[route.operation] as Operation
  if (who.page === 'foreign') return [403, 'foreign_origin']
  if (who.held === undefined) return [401, 'credential']
  const own = typeof capability === 'function' ? capability(input as never) : capability
  const needed: Needed[] = [
    ...(route.interface === 'mcp' ? (['mcp:use'] as const) : []),
    ...(own ? [own] : []),
    ...alsoNeeds,
  ]
  const [missing] = needed.flatMap((one) => lackedBy(who, one).slice(0, 1))
  if (missing !== undefined) return [403, 'missing_capability', missing]
  if (who.isNarrow && scope === 'refused') return [403, 'outside_scope']
  if (who.page === 'silent' && route.method !== 'GET') return [403, 'foreign_origin']
  if (who.isRedacted && packets.has(route.operation)) return [403, 'redacted_role']
  if (who.isRedacted && filters.has(route.operation)) return [403, 'redacted_field']
  return undefined
}

/** What is only read has the name of what others must not see; what is changed is something that does not exist. */
function fill(path: string, isRead: boolean): string {
  const id = path.includes('/tokens/') ? '0123456789ab' : world.hiddenCall
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'id' ? id : name === 'snapshot' || isRead ? MARK : 'thing',
  )
}

function send(attacker: string, { route, input }: Case) {
  const { method, path, operation } = route
  const inQuery = method === 'GET' || method === 'DELETE'
  const query = inQuery ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
  const body = operations[operation].bytes === 'request' ? world.capture : inQuery ? undefined : input
  return world.hub.send(method, fill(path, method === 'GET') + query, body, world.headers(attacker))
}

/** Every place of a filter that others keep, in the answers of all operations. */
const keptPlaces = (Object.keys(operations) as OperationName[]).flatMap((operation) =>
  textsIn(operations[operation].output)
    .filter(({ origin }) => origin === 'kept')
    .map(({ path }) => ({ operation, path, at: [operation, ...path].join('.') })),
)

/** The places in an answer that have the planted filter. */
function keptIn(operation: OperationName, answer: unknown): string[] {
  const found = keptPlaces.filter((one) => one.operation === operation)
  return found.filter(({ path }) => valuesAt(answer, path).includes(KEPT_FILTER)).map(({ at }) => at)
}

function valuesAt(value: unknown, [name, ...rest]: readonly string[]): unknown[] {
  if (name === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([key]) => name === '*' || key === name)
    .flatMap(([, one]) => valuesAt(one, rest))
}

interface Answered {
  readonly status: number
  readonly text: string
  readonly json: { readonly code?: string; readonly missing?: string } | undefined
}

function outcome({ status, json }: Answered): Outcome | string {
  if (status === 401) return [401, String(json?.code).replace(/^(no|bad)_/, '')]
  if (status === 403)
    return json?.missing ? [403, String(json.code), json.missing] : [403, String(json?.code)]
  return [400, 405, 500].includes(status) ? `${status} ${json?.code}` : 'let in'
}

const requests = cases.length * Object.keys(attackers).length
/** Every operation by its own name, which need not be in the list of tools, and by the tools with actions. */
const toolCalls = [
  ...Array.from(argumentsOf.keys(), (operation) => ({
    name: operation as string,
    operation,
    action: undefined,
  })),
  ...toolGroups.flatMap(({ name, actions }) =>
    Object.entries(actions).map(([action, operation]) => ({ name, operation, action })),
  ),
]
const calls = toolCalls.length * Object.keys(attackers).length

describe(`${requests} requests: ${cases.length} at ${routes.length} routes by ${Object.keys(attackers).length} attackers`, () => {
  const seen = new Set<OperationName>()
  const keptSeen = new Set<string>()
  it.each(Object.entries(attackers))('%s gets what the tables say', async (attacker, who) => {
    const wrong: unknown[] = []
    await world.plant()
    for (const [at, one] of cases.entries()) {
      if (!isTried(attacker, at)) continue
      const answer: Answered = await send(attacker, one)
      const { method, path, operation } = one.route
      const wanted = refusal(who, one) ?? 'let in'
      if (JSON.stringify(outcome(answer)) !== JSON.stringify(wanted))
        wrong.push([method, path, one.input, wanted, answer.status, answer.text.slice(0, 300)])
      const mayRead = who.held && !who.isNarrow && wanted === 'let in'
      if (mayRead && answer.text.includes(MARK)) seen.add(operation)
      if (!mayRead && answer.text.includes(MARK))
        wrong.push(['LEAK', method, path, answer.text.slice(0, 300)])
      if (mayRead && !who.isRedacted) for (const place of keptIn(operation, answer.json)) keptSeen.add(place)
      else if (answer.text.includes(SEALED)) wrong.push(['FILTER', method, path, answer.text.slice(0, 300)])
      else if (mayRead && keptIn(operation, answer.json).length > 0)
        wrong.push(['NO REASON', method, path, answer.text.slice(0, 300)])
    }
    expect(wrong).toEqual([])
  })

  it('every filter that an answer may have was seen by callers who may', () => {
    expect([...keptSeen].sort()).toEqual(keptPlaces.map(({ at }) => at).sort())
  })

  it('the planted text is there to be found', () => {
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'list_api_calls',
        'get_api_call',
        'get_api_stats',
        'list_l4_flows',
        'list_events',
        'list_workloads',
        'list_ips',
        'list_snapshots',
        'list_recordings',
        'list_agents',
      ]),
    )
  })
})

describe(`${calls} calls of ${toolCalls.length} tools and actions`, () => {
  it.each(Object.entries(attackers))('%s', async (attacker, who) => {
    const wrong: unknown[] = []
    for (const [at, { name, operation, action }] of toolCalls.entries()) {
      if (!isTried(attacker, at)) continue
      const [input = {}] = inputs[operation] ?? []
      const known = argumentsOf.get(operation) ?? []
      const named = Object.fromEntries(
        ['name', 'snapshot', 'id'].filter((key) => known.includes(key)).map((key) => [key, 'thing']),
      )
      const params = { name, arguments: { ...named, ...input, ...(action && { action }) } }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const accept = { accept: 'application/json, text/event-stream' }
      const headers = { ...world.headers(attacker), ...accept }
      const answer = await world.hub.send('POST', '/mcp', message, headers)
      const atDoor: Outcome | undefined =
        who.page === 'foreign'
          ? [403, 'foreign_origin']
          : who.held === undefined
            ? [401, 'credential']
            : !who.held.includes('mcp:use')
              ? [403, 'missing_capability', 'mcp:use']
              : who.page === 'silent'
                ? [403, 'foreign_origin']
                : undefined
      const got = atDoor ? outcome(answer) : answer.status
      if (JSON.stringify(got) !== JSON.stringify(atDoor ?? 200))
        wrong.push([name, answer.status, answer.text])
      const inside = JSON.stringify(answer.json?.result ?? '')
      if (!atDoor && /missing_capability|outside_scope|invalid_input|"status\\?":5/.test(inside))
        wrong.push([name, inside.slice(0, 300)])
    }
    expect(wrong).toEqual([])
  })
})

/** Opens a WebSocket: the status that it was refused with, or the open socket. */
async function upgrade(path: string, headers: Record<string, string>): Promise<number | WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${world.hub.port}${path}`, { headers })
  const refused = once(socket, 'unexpected-response').then(([, response]) => {
    response.resume()
    return response.statusCode as number
  })
  return Promise.race([once(socket, 'open').then(() => socket), refused])
}

describe('the stream', () => {
  /** THE list of its messages, and what answers each. */
  const messages: Record<StreamRequest['kind'], { readonly say: object; readonly answer?: string }> = {
    filter: { say: { kind: 'filter', kfl: 'dst.ns == "secret"' }, answer: 'filtered' },
    pause: { say: { kind: 'pause' } },
    resume: { say: { kind: 'resume' } },
  }

  it('has no message that is not tried here', () => {
    const kinds = streamRequestShape.options.map(({ shape }) => shape.kind.value)
    expect(kinds.sort()).toEqual(Object.keys(messages).sort())
  })

  it.each(Object.entries(attackers))('%s', async (attacker, who) => {
    const { cookie, ...rest } = world.headers(attacker)
    const opened = await upgrade(streamPath, { ...rest, ...(cookie && { cookie }) })
    const isLetIn =
      who.held?.includes('dissection:live') === true && who.page !== 'foreign' && who.page !== 'silent'
    if (typeof opened === 'number') {
      expect([opened, isLetIn]).toEqual([who.held === undefined && who.page === undefined ? 401 : 403, false])
      return
    }
    expect(isLetIn).toBe(true)
    const heard: string[] = []
    opened.on('message', (data) => heard.push(String(data)))
    for (const { say, answer } of Object.values(messages)) {
      opened.send(JSON.stringify(say))
      if (answer) await expect.poll(() => heard.join()).toContain(`"${answer}"`)
    }
    if (who.isNarrow) {
      // What is asked of the nodes in its name is narrowed, whatever it filters by.
      const filters = () =>
        world.worker.asked.flatMap((one) => (one.request === 'subscribe' ? [one.input.kfl] : []))
      await expect.poll(filters).toContainEqual(expect.stringMatching(/secret.*shop|shop.*secret/))
      expect(heard.join()).not.toContain(MARK)
    }
    // Nothing of the stream is a filter of others: it says that a list changed, and not what is in it.
    expect(heard.join()).not.toContain(SEALED)
    opened.terminate()
  })
})

describe('the worker link', () => {
  const own = () => ({ authorization: `Bearer ${workerCredential(credential, 'n7')}` })
  /** THE list of its messages. Only `hello` may be the first. */
  const first: Record<keyof typeof workerMessages, object> = {
    hello: { node: 'n1', version: '1', report: idleReport },
    report: { report: idleReport },
    answer: { id: 1, result: {} },
    failure: { id: 1, status: 500, code: 'x', detail: 'x' },
    calls: { subscription: 1, calls: [], skipped: 0 },
  }

  it('is closed to every caller without the credential of a worker', async () => {
    for (const attacker of Object.keys(attackers))
      if (attacker !== 'a worker credential')
        expect([attacker, await upgrade(linkPath, world.headers(attacker))]).toEqual([attacker, 401])
  })

  it('has no message that is not tried here', () => {
    expect(Object.keys(workerMessages).sort()).toEqual(Object.keys(first).sort())
  })

  it.each(Object.entries(first))(
    '%s in the name of another node, or before hello, ends it',
    async (kind, rest) => {
      const socket = await upgrade(linkPath, own())
      if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
      const heard: unknown[] = []
      socket.on('message', (data) => heard.push(String(data)))
      socket.send(JSON.stringify({ kind, ...rest }))
      const [code] = await once(socket, 'close')
      expect([code, heard]).toEqual([kind === 'hello' ? 1008 : 1002, []])
      expect(world.hub.services.workers.connected.map(({ node }) => node)).toEqual(['n1'])
    },
  )
})

describe('a role without any capability', () => {
  it.each(['/api/status', '/api/saved-filters', '/api/dissection', '/api/dissection/changes', '/metrics'])(
    'is refused at %s',
    async (path) => {
      const { status, json } = await world.hub.get(path, world.headers('nothing'))
      expect([status, json.code, json.missing]).toEqual([403, 'missing_capability', 'dissection:live'])
    },
  )

  it('is given fields of the language, and no value of a call', async () => {
    const { json } = await world.hub.get(`/api/kfl/search?query=${MARK}`, world.headers('nothing'))
    expect(json).toMatchObject({ values: [], values_are: 'unavailable' })
  })
})

describe('what is beside the operations', () => {
  /** THE list of everything else that the router knows, and who may come there. */
  const beside: Record<string, 'open' | 'whole' | 'mcp'> = {
    '/healthz': 'open',
    '/readyz': 'open',
    '/openapi.json': 'open',
    '/metrics': 'whole',
    '/auth/options': 'open',
    '/auth/session': 'open',
    '/auth/login': 'open',
    '/auth/callback': 'open',
    '/auth/logout': 'open',
    '/mcp': 'mcp',
  }

  it('is all that the router has beside the table', () => {
    const listed = new Set([...routes.map(({ path }) => path), ...Object.keys(beside)])
    const known = world.hub.routes
      .map(({ path }) => path.replace(/:(\w+)(?:\{\.\+(.*)\})?$/, '{$1}$2').replace(/:(\w+)/g, '{$1}'))
      .filter((path) => path !== '/*')
    expect([...new Set(known)].sort()).toEqual([...listed].sort())
  })

  it.each([...Object.entries(beside), ['/', 'open'], ['/no-such-page', 'open']] as const)(
    '%s is for %s',
    async (path, guard) => {
      for (const [attacker, who] of Object.entries(attackers)) {
        const { status, text } = await world.hub.get(path, world.headers(attacker))
        const lacked = lackedBy(who, guard === 'mcp' ? 'mcp:use' : anyReader)
        const holds = lacked.length === 0 && (guard === 'mcp' || !who.isNarrow)
        const wanted =
          who.page === 'foreign'
            ? [403]
            : guard === 'open'
              ? [200, 302, 404, 405]
              : who.held
                ? [holds ? 200 : 403]
                : [401]
        expect(wanted, `${attacker}: ${text.slice(0, 200)}`).toContain(status)
        if (guard === 'whole' && wanted[0] === 403 && lacked.length > 0)
          expect([attacker, JSON.parse(text).missing]).toEqual([attacker, lacked[0]])
        // Those who see everything may: the names of agents are in /metrics.
        if (guard === 'open' || !holds) expect([attacker, text.includes(MARK)]).toEqual([attacker, false])
      }
    },
  )

  it('says nothing about nodes to a caller that is not known', async () => {
    expect(Object.keys((await world.hub.get('/readyz')).json).sort()).toEqual([
      'ready',
      'recording',
      'saved',
      'storage',
    ])
  })
})
