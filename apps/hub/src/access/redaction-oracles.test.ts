import { once } from 'node:events'
import { type OperationName, operations, textsIn } from '@tapdeck/api'
import { findEvents } from '@tapdeck/recording'
import { Conversation } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { routes } from '../http/routes.ts'
import { toolGroups } from '../mcp/tool-list.ts'
import { argumentsOf } from '../mcp/tools.ts'
import type { Answers } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { captureFile } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

/**
 * Two hubs whose data differs only in what a redacted caller may not see: a header, a body and a command line. Every
 * operation of the table is called with the hidden text in each of its inputs that takes text. An input that takes a
 * filter is refused; for any other, both hubs give the same answer. Then no answer says what is hidden.
 */
const HIDDEN = 'needle-1234'
const OTHER = 'straws-9876'
const T0 = 1_700_000_000_000

interface World {
  readonly hub: TestHub
  /** All capabilities, and redaction. */
  readonly veiled: Record<string, string>
  /** All capabilities but `events:cmdline`. */
  readonly unread: Record<string, string>
  readonly full: Record<string, string>
}

const thread = threadForTests()
let present: World
let absent: World
beforeAll(async () => {
  ;[present, absent] = [await world(HIDDEN), await world(OTHER)]
}, 240_000)
afterAll(async () => {
  await present?.hub.stop()
  await absent?.hub.stop()
})

const grantable =
  'dissection:control,dissection:live,snapshot:read,snapshot:write,snapshot:dissection,pods:target:write,settings:write'
const config = [
  'tap.auth.enabled=true',
  // The header that is hidden from a role is there for others.
  'tap.redaction.credentials=keep',
  `tap.auth.roles.full.capabilities={${grantable},events:cmdline}`,
  `tap.auth.roles.unread.capabilities={${grantable}}`,
  // The only role that can have every capability.
  'tap.redaction.byRole.svc-admin.headers={authorization}',
  'tap.redaction.byRole.svc-admin.bodies=true',
]

function capture(secret: string): Buffer {
  const body = JSON.stringify({ card: secret })
  const talk = new Conversation({
    client: '10.0.0.1',
    server: '10.0.0.2',
    clientPort: 20_000,
    start: T0 * 1000,
  })
    .handshake()
    .send(
      0,
      `POST /pay HTTP/1.1\r\nhost: shop\r\nauthorization: ${secret}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    .send(1, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    .close()
  return captureFile(talk.packets)
}

/** A filter that a caller who sees everything keeps. */
const keptFilter = (secret: string) => `request.body contains "${secret}"`

async function world(secret: string): Promise<World> {
  const hub = await startHub({
    thread: thread(),
    set: config,
    config: ({ tap, ...rest }) => {
      const otlp = { ...tap.telemetry.otlp, kfl: keptFilter(secret) }
      return { ...rest, tap: { ...tap, telemetry: { ...tap.telemetry, otlp } } }
    },
  })
  const full = giveToken(hub.folder, 'full').headers
  const packets = capture(secret)
  const process = {
    ts: T0,
    kind: 'os',
    type: 'process_start',
    node: 'n1',
    pid: 7,
    comm: 'run',
    exe: '/bin/run',
  }
  const lines = Buffer.from(`${JSON.stringify({ ...process, cmdline: `run ${secret} now` })}\n`)
  const figures = { packet_count: 7, size_bytes: packets.length, dropped_packets: 0 }
  await hub.send('POST', '/api/snapshots/s1/import?node=n1', packets, full)
  const [asks, db] = [{ ...full, 'content-type': 'application/json' }, 's1/all']
  await hub.send('POST', '/api/dissections', { snapshot_name: 's1', dissection_name: 'all' }, asks)
  await until(
    () => hub.get('/api/dissections/s1/all', full),
    ({ json }) => json.status === 'completed',
  )
  const kfl = keptFilter(secret)
  const filtered = { snapshot_name: 's1', dissection_name: 'filtered', kfl }
  const start = Date.now() + 86_400_000
  const actions = [{ kind: 'recording', do: 'start', recording: 'more', kfl }]
  await hub.send('POST', '/api/dissections', filtered, asks)
  await hub.send('POST', '/api/recordings', { name: 'thing', kfl, start }, asks)
  await hub.send('POST', '/api/agents', { name: 'thing', kfl, enabled: false, actions }, asks)
  await hub.send('PUT', '/api/saved-filters/thing', { kfl }, asks)
  await until(
    () => hub.get('/api/dissections/s1/filtered', full),
    ({ json }) => json.status === 'completed',
  )
  const [source] = hub.services.dissections.sources(db)
  const answers: Answers = {
    calls: (input) => source!.ask('calls', input),
    call: (input) => source!.ask('call', input),
    count: (input) => source!.ask('count', input),
    stats: (input) => source!.ask('stats', input),
    values: (input) => source!.ask('values', input),
    flows: (input) => source!.ask('flows', input),
    summary: (input) => source!.ask('summary', input),
    events: async (input) => ({
      ...(await findEvents([lines], input, (cmdline) => cmdline)),
      ...(input.hide_cmdline && { cmdline_hidden: true }),
    }),
    boundaries: () => ({ oldest_ts: T0, newest_ts: T0 + 60_000, ...figures }),
    async window(_input, worker, id) {
      await worker.piece(id, packets)
      return { ...figures, start_ts: T0, end_ts: T0 + 60_000, partial: false }
    },
    async event_window(_input, worker, id) {
      await worker.piece(id, lines)
      return { count: 1 }
    },
  }
  await hub.worker('n1', answers)
  await hub.send('POST', '/api/snapshots', { name: 's2', start: T0, end: T0 + 60_000 }, full)
  await until(
    () => hub.get('/api/snapshots/s2', full),
    ({ json }) => json.status === 'completed',
  )
  const veiled = giveToken(hub.folder, 'svc-admin').headers
  return { hub, full, veiled, unread: giveToken(hub.folder, 'unread').headers }
}

/** Filters that read what is hidden. */
const filters = [
  `request.headers["authorization"] == "${HIDDEN}"`,
  `request.body contains "${HIDDEN}"`,
  `http and not (response.body startswith "x")`,
]
/**
 * THE list of inputs that take text. `filter`: a filter over calls or packets; it is refused. `syntax`: a filter that is
 * looked at and never applied. `completed`: a filter that is completed by values of calls. `text`: anything else.
 * A new input must be written down here.
 */
type Kind = 'filter' | 'syntax' | 'completed' | 'text'
const inputs: Readonly<Record<Kind, string>> = {
  filter: `
    export_snapshot_pcap.bpf_filter export_snapshot_pcap.kfl start_snapshot_dissection.kfl list_api_calls.kfl
    capture_and_dissect.kfl stream_packets.bpf_filter stream_packets.kfl
    get_api_stats.kfl get_topology.kfl find_suspects.kfl diff_api_calls.kfl start_recording.kfl create_agent.kfl
    update_agent.kfl save_filter.kfl`,
  syntax: 'check_filter.kfl explain_kfl.kfl',
  completed: 'complete_kfl.kfl',
  text: `
    capture_and_dissect.duration capture_and_dissect.name capture_and_dissect.nodes capture_and_dissect.protocols
    stream_packets.namespaces stream_packets.nodes stream_packets.pods stream_packets.tls_keys stream_packets.workloads
    search_fields.db search_fields.query get_api_call.fields get_api_stats.fields list_api_calls.fields
    list_events.fields list_l4_flows.fields list_ips.db list_workloads.db
    complete_kfl.db create_agent.actions create_agent.name create_snapshot.duration create_snapshot.name
    create_snapshot.nodes delete_agent.name delete_recording.name delete_snapshot.force delete_snapshot.name
    delete_snapshot_dissection.name delete_snapshot_dissection.snapshot diff_api_calls.a_db diff_api_calls.b_db
    disable_agent.name enable_agent.name export_snapshot_pcap.call export_snapshot_pcap.dissection
    explain_call.db explain_call.id export_snapshot_pcap.name export_snapshot_pcap.nodes export_snapshot_pcap.tls_keys get_agent.name get_api_call.db get_api_call.id
    get_api_stats.db get_api_stats.group_by get_api_stats.include_unanswered get_topology.baseline_db get_topology.db find_suspects.baseline_db find_suspects.db get_l4_flow_summary.db get_recording.name get_snapshot.name get_snapshot_dissection.name
    get_snapshot_dissection.snapshot get_snapshot_dissection_status.dissection_name
    get_snapshot_dissection_status.snapshot_name import_snapshot.append import_snapshot.more import_snapshot.name
    import_snapshot.node import_snapshot.path list_api_calls.cursor list_api_calls.db list_events.cursor
    list_events.db list_events.name list_events.type list_ips.ip list_l4_flows.cursor list_l4_flows.db list_l4_flows.ip
    list_l4_flows.l4proto list_l4_flows.ns list_l4_flows.pod list_l4_flows.svc list_snapshot_dissections.snapshot
    list_workloads.name list_workloads.namespace preview_targets.excluded_namespaces preview_targets.namespaces
    preview_targets.regex set_targets.bpf set_targets.excluded_namespaces set_targets.namespaces set_targets.regex
    set_inventory.pods set_inventory.services set_inventory.source
    save_filter.name delete_saved_filter.name
    start_recording.duration start_recording.name start_snapshot_dissection.dissection_name
    start_snapshot_dissection.protocols start_snapshot_dissection.snapshot_name stop_recording.name
    stop_snapshot_dissection.name stop_snapshot_dissection.snapshot update_snapshot.name update_snapshot.new_name
    update_snapshot.notes update_snapshot.tags update_agent.name update_agent.actions test_agent.name
    list_agent_history.name create_token.name create_token.role create_token.expires revoke_token.id
    admit_recorder.namespace admit_recorder.pod admit_recorder.node admit_recorder.expires
    list_audit_entries.who list_audit_entries.what list_audit_entries.changes preview_redaction.id preview_redaction.db preview_redaction.role
    preview_redaction.rules`,
}
const kinds = new Map(
  (Object.keys(inputs) as Kind[]).flatMap((kind) =>
    [...inputs[kind].matchAll(/\S+/g)].map(([input]) => [input, kind] as const),
  ),
)

/** Whether a value of this JSON schema may be, or hold, a text of the caller's own. */
function takesText(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const {
    type,
    enum: words,
    const: word,
    items,
    properties,
    anyOf,
    oneOf,
    allOf,
  } = schema as Record<string, unknown>
  if (words !== undefined || word !== undefined) return false
  const inside = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const below = [...inside, ...Object.values(properties ?? {}), ...(items === undefined ? [] : [items])]
  return type === 'string' || (type === undefined && below.length === 0) || below.some(takesText)
}

function textInputs(name: OperationName): { input: string; isList: boolean }[] {
  const schema = z.toJSONSchema(operations[name].input as z.ZodType, { io: 'input', unrepresentable: 'any' })
  return Object.entries(schema.properties ?? {})
    .filter(([, one]) => takesText(one))
    .map(([input, one]) => ({ input, isList: typeof one === 'object' && one.type === 'array' }))
}

const names = Object.keys(operations) as OperationName[]
const all = names.flatMap((name) => textInputs(name).map((one) => ({ name, ...one })))

/** What an operation needs besides, so that only the input in question decides. */
const needed: Partial<Record<OperationName, Record<string, unknown>>> = {
  create_snapshot: { name: 'made', start: T0, end: T0 + 60_000 },
  // Its parts are tried by themselves; dissecting for each text would take minutes on a busy host.
  capture_and_dissect: { name: 'captured', start: T0, end: T0 + 60_000, nodes: ['nowhere'] },
  search_fields: { query: 'pay' },
  export_snapshot_pcap: { name: 's1' },
  // Live packets would have no end.
  stream_packets: { start_time: T0, end_time: T0 + 60_000 },
  start_snapshot_dissection: { snapshot_name: 's1', dissection_name: 'more' },
  get_api_call: { id: 'n1/1/0' },
  explain_call: { id: 'n1/1/0' },
  update_snapshot: { name: 'made' },
  diff_api_calls: { a_start: T0, a_end: T0 + 1, b_start: T0 + 2, b_end: T0 + 3 },
  set_inventory: { pods: [], services: [] },
  complete_kfl: { kfl: 'path == "', cursor: 9 },
  check_filter: { kfl: 'http' },
  explain_kfl: { kfl: 'http' },
  save_filter: { name: 'made', kfl: 'http' },
  start_recording: { name: 'made' },
  create_agent: { name: 'made', actions: [{ kind: 'log' }] },
  update_agent: { name: 'made' },
  create_token: { name: 'made', role: 'full' },
  admit_recorder: { namespace: 'shop', pod: 'web-1' },
  preview_redaction: { id: 'n1/1/0' },
}
/** The databases that an operation is asked about. */
const databases: Partial<Record<OperationName, readonly string[]>> = {
  list_events: ['s2'],
  list_api_calls: ['s1/all', 'recording'],
  get_api_stats: ['s1/all'],
  get_topology: ['s1/all'],
  find_suspects: ['s1/all'],
  list_l4_flows: ['s1/all'],
  complete_kfl: ['s1/all'],
  search_fields: ['s1/all'],
  get_api_call: ['s1/all'],
  explain_call: ['s1/all'],
}

async function ask(
  { hub, ...callers }: World,
  who: 'veiled' | 'unread' | 'full',
  name: OperationName,
  input: Record<string, unknown>,
) {
  const { method, path } = routes.find((route) => route.operation === name && route.interface === 'api')!
  const given = { ...needed[name], ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(given[key] ?? 'thing')
    delete given[key]
    return encodeURIComponent(value)
  })
  const inQuery = method === 'GET' || method === 'DELETE'
  const query = inQuery ? `?${new URLSearchParams(given as Record<string, string>)}` : ''
  const { status, text, json } = await hub.send(
    method,
    filled + query,
    inQuery ? undefined : given,
    callers[who],
  )
  return { status, text: timeless(text), code: json?.code as string | undefined }
}

/** Jobs that were started are over: how far they got depends on the time. */
async function settled({ hub, full }: World): Promise<void> {
  for (const list of ['snapshots', 'dissections'])
    await until(
      () => hub.get(`/api/${list}`, full),
      ({ json }) => json[list].every(({ status }: { status: string }) => /completed|failed/.test(status)),
    )
}

/** Clock times differ from hub to hub and say nothing. */
function timeless(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time').replaceAll(/"[\w-]+_ms":[\d.]+/g, '')
}

it('lists every input of every operation that takes text, and no others', () => {
  expect([...kinds.keys()].toSorted()).toEqual(all.map(({ name, input }) => `${name}.${input}`).toSorted())
})

it('has something to find: a caller who may see it finds it', async () => {
  for (const kfl of filters.slice(0, 2)) {
    const found = [present, absent].map((world) => ask(world, 'full', 'list_api_calls', { kfl }))
    const [one, other] = await Promise.all(found)
    expect([one!.text.includes('/pay'), other!.text.includes('/pay')]).toEqual([true, false])
  }
  for (const db of [{}, { db: 's2' }])
    for (const [world, total] of [
      [present, 1],
      [absent, 0],
    ] as const) {
      const { text } = await ask(world, 'full', 'list_events', { name: HIDDEN, ...db })
      expect(JSON.parse(text).total).toBe(total)
    }
})

const asked = (name: OperationName) => [{}, ...(databases[name] ?? []).map((db) => ({ db }))]

/** What has the filter of a dissection in its answer: nothing matches. */
const emptied: Partial<Record<OperationName, Record<string, unknown>>> = {
  list_api_calls: { db: 's1/filtered', kfl: 'method == "PUT"' },
}
const isReading = (name: OperationName) =>
  operations[name].method === 'GET' && operations[name].interfaces.some((one) => one === 'api')
const reading = names
  .filter(isReading)
  .flatMap((name) => [
    ...asked(name).map((input) => ({ name, input })),
    ...(emptied[name] ? [{ name, input: emptied[name] }] : []),
  ])
const kept = names.filter(
  (name) => isReading(name) && textsIn(operations[name].output).some(({ origin }) => origin === 'kept'),
)

// First: later tests name things by the hidden text.
describe('of filters that others keep, a caller who sees calls redacted', () => {
  it.each(reading)('is given none by $name $input', async ({ name, input }) => {
    const { text } = await ask(present, 'veiled', name, input)
    expect(text).not.toContain(HIDDEN)
  })

  it('is given none by a tool of an assistant', async () => {
    const { hub, veiled } = present
    const headers = { ...veiled, accept: 'application/json, text/event-stream' }
    const tools = [
      ...Array.from(argumentsOf.keys(), (operation) => ({
        name: operation as string,
        operation,
        action: undefined,
      })),
      ...toolGroups.flatMap(({ name, actions }) =>
        Object.entries(actions).map(([action, operation]) => ({ name, operation, action })),
      ),
    ].filter(({ operation }) => operations[operation].method === 'GET')
    for (const { name, operation, action } of tools) {
      const given = { name: 'thing', snapshot: 's1', ...needed[operation], ...emptied[operation] }
      const known = Object.entries(given).filter(([key]) => argumentsOf.get(operation)?.includes(key))
      const params = { name, arguments: { ...Object.fromEntries(known), ...(action && { action }) } }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const { status, text } = await hub.send('POST', '/mcp', message, headers)
      expect([name, action, status, text.includes(HIDDEN)]).toEqual([name, action, 200, false])
      if (kept.includes(operation)) expect([name, text]).toEqual([name, expect.stringContaining('withheld')])
    }
  })

  it('cannot replace or delete a shared filter that it may not see, and can those that it may', async () => {
    const { hub, veiled, full } = present
    const mine = '/api/saved-filters/mine'
    for (const answer of [
      await hub.send('PUT', '/api/saved-filters/thing', { kfl: 'http' }, veiled),
      await hub.send('DELETE', '/api/saved-filters/thing', undefined, veiled),
    ])
      expect([answer.status, answer.json.code]).toEqual([403, 'redacted_field'])
    for (const kfl of ['http', 'dst.ip == 10.0.0.2'])
      expect((await hub.send('PUT', mine, { kfl }, veiled)).status).toBe(200)
    expect((await hub.get('/api/saved-filters', veiled)).json.filters).toMatchObject([
      { name: 'mine', kfl: 'dst.ip == 10.0.0.2' },
      { name: 'thing', kfl_withheld: expect.stringContaining('redacted') },
    ])
    expect((await hub.send('DELETE', mine, undefined, veiled)).status).toBe(200)
    expect((await hub.get('/api/saved-filters', full)).json.filters).toMatchObject([
      { name: 'thing', kfl: keptFilter(HIDDEN) },
    ])
  })
})

it.each(kept)('a caller who may see it finds the filter that %s returns', async (name) => {
  const { text } = await ask(present, 'full', name, emptied[name] ?? {})
  expect(text).toContain(HIDDEN)
})

const inputsOf = (kind: Kind) => all.filter(({ name, input }) => kinds.get(`${name}.${input}`) === kind)

describe('a caller who sees calls redacted', () => {
  it.each(inputsOf('filter'))('is refused by $name: $input', async ({ name, input }) => {
    for (const more of asked(name))
      for (const kfl of filters) {
        const [one, other] = [
          await ask(present, 'veiled', name, { [input]: kfl, ...more }),
          await ask(absent, 'veiled', name, { [input]: kfl, ...more }),
        ]
        expect(one).toEqual(other)
        expect([one.status, one.code]).toEqual([403, expect.stringMatching(/^redacted_(field|role)$/)])
      }
  })

  it.each(inputsOf('syntax'))('learns nothing by $name: $input', async ({ name, input }) => {
    for (const kfl of filters) {
      const one = await ask(present, 'veiled', name, { [input]: kfl })
      expect(one).toEqual(await ask(absent, 'veiled', name, { [input]: kfl }))
      expect(one.status).toBe(200)
    }
  })

  it.each(inputsOf('completed'))('is given no hidden value by $name: $input', async ({ name, input }) => {
    for (const more of asked(name)) {
      for (const kfl of ['request.headers["authorization"] == "', `request.body == "${HIDDEN.slice(0, 6)}`]) {
        const one = await ask(present, 'veiled', name, { [input]: kfl, cursor: kfl.length, ...more })
        expect(one).toEqual(await ask(absent, 'veiled', name, { [input]: kfl, cursor: kfl.length, ...more }))
        expect(one.text).not.toContain('needle-')
      }
      const open = { [input]: `path == "${HIDDEN}`, cursor: 9 + HIDDEN.length, ...more }
      expect(await ask(present, 'veiled', name, open)).toEqual(await ask(absent, 'veiled', name, open))
    }
  })

  it.each(inputsOf('text'))('learns nothing by $name: $input', async ({ name, input, isList }) => {
    for (const who of ['veiled', 'unread'] as const)
      for (const more of who === 'veiled' || name === 'list_events' ? asked(name) : [])
        for (const text of [HIDDEN, HIDDEN.slice(0, 3), OTHER]) {
          const given = { ...more, [input]: isList ? [text] : text }
          expect(await ask(present, who, name, given)).toEqual(await ask(absent, who, name, given))
          if (operations[name].changes) await Promise.all([settled(present), settled(absent)])
        }
  })

  it('is refused by the stream', async () => {
    const { hub, veiled } = present
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`, { headers: veiled })
    await once(socket, 'open')
    const answers: { kind: string; problem?: { code: string } }[] = []
    socket.on('message', (data) => answers.push(JSON.parse(String(data))))
    for (const kfl of filters) socket.send(JSON.stringify({ kind: 'filter', kfl }))
    const problems = await until(
      () => answers.filter(({ kind }) => kind === 'problem'),
      ({ length }) => length === filters.length,
    )
    socket.terminate()
    expect(problems.map(({ problem }) => problem?.code)).toEqual(filters.map(() => 'redacted_field'))
  })
})
