import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { operations } from '@tapdeck/api'
import { afterEach, expect, test } from 'vitest'
import { type StartOptions, startHub, type TestHub, until } from '../testing/start-hub.ts'
import { toolGroups } from './tool-list.ts'
import { toolNames } from './tools.ts'

let hub: TestHub
const clients: Client[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await hub.stop()
})

async function connect(options: StartOptions = {}, path = '/mcp'): Promise<Client> {
  hub = await startHub(options)
  const client = new Client({ name: 'a-test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1${path}`), {
    fetch: async (url, init) => {
      const request = new Request(url, init)
      request.headers.set('host', '127.0.0.1')
      return hub.fetch(request)
    },
  })
  clients.push(client)
  await client.connect(transport)
  return client
}

function firstText(content: unknown): string {
  return (content as { text: string }[])[0]?.text ?? ''
}

/** The answer in a text, without the marks of the fence. */
function answerIn(content: unknown): unknown {
  const { untrusted, untrusted_end, ...answer } = JSON.parse(firstText(content))
  expect(untrusted).toContain(untrusted_end)
  return answer
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const accepts = { accept: 'application/json, text/event-stream' }

test('every operation of the interface is a tool, an action of one, or callable by its name', async () => {
  const client = await connect()
  const { tools } = await client.listTools()
  const listed = tools.map(({ name }) => name)
  const offered = Object.entries(operations)
    .filter(([, { interfaces, bytes }]) => interfaces.includes('mcp') && bytes !== 'request')
    .map(([name]) => name)
  const actions = toolGroups.flatMap(({ actions }) => Object.values(actions))
  const unlisted = ['list_kfl_fields', 'complete_kfl', 'explain_kfl', 'list_switch_changes']
  const groups = toolGroups.map(({ name }) => name)
  expect([...listed, ...actions, ...unlisted].sort()).toEqual([...offered, ...groups].sort())
  for (const name of [...offered, 'check_kfl']) expect(toolNames).toContain(name)
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  expect(byName.get('list_api_calls')?.annotations?.readOnlyHint).toBe(true)
  expect(byName.get('list_api_calls')?.inputSchema.properties).toHaveProperty('kfl')
})

test('a tool with actions needs one of them, and passes the other arguments on', async () => {
  const client = await connect()
  const call = (given: object) => client.callTool({ name: 'manage_recordings', arguments: { ...given } })
  expect(answerIn((await call({ action: 'list' })).content)).toEqual({ recordings: [] })
  for (const given of [{}, { action: 'drop' }, { action: 5 }, { action: 'toString' }]) {
    const { isError, content } = await call(given)
    expect([isError, answerIn(content)]).toMatchObject([
      true,
      { hint: expect.stringContaining('start, list') },
    ])
  }
  const unknown = await call({ action: 'get', name: 'nothing' })
  expect(answerIn(unknown.content)).toMatchObject({ status: 404 })
  const former = await client.callTool({ name: 'check_kfl', arguments: { kfl: 'http' } })
  expect(answerIn(former.content)).toMatchObject({ valid: true })
})

test('the list of tools is the same bytes in every session', async () => {
  const first = JSON.stringify(await (await connect()).listTools())
  const other = new Client({ name: 'another', version: '2' })
  clients.push(other)
  const fetchHub = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init)
    request.headers.set('host', '127.0.0.1')
    return hub.fetch(request)
  }
  await other.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetchHub }))
  expect(JSON.stringify(await other.listTools())).toBe(first)
})

test('the list of tools is short enough to be read before the first question', async () => {
  const list = await (await connect()).listTools()
  expect(JSON.stringify(list).length).toBeLessThan(40_000)
})

test('the list of tools begins with what an investigation begins with', async () => {
  const { tools } = await (await connect()).listTools()
  const names = tools.map(({ name }) => name)
  expect(names.slice(0, 2)).toEqual(['find_suspects', 'list_databases'])
  expect(names.indexOf('explain_call')).toBeLessThan(names.indexOf('create_snapshot'))
})

test('an answer keeps to max_chars, and a wrong max_chars is refused', async () => {
  const client = await connect()
  const full = await client.callTool({ name: 'list_kfl_fields', arguments: { max_chars: 400_000 } })
  const answer = await client.callTool({ name: 'list_kfl_fields', arguments: {} })
  expect(firstText(full.content).length).toBeGreaterThan(16_000)
  expect(firstText(answer.content).length).toBeLessThanOrEqual(16_000)
  expect(JSON.parse(firstText(answer.content))).toHaveProperty('left_out')
  for (const max_chars of [0, -1, 'many', 1e9, 2.5]) {
    const refused = await client.callTool({ name: 'list_kfl_fields', arguments: { max_chars } })
    expect(firstText(refused.content)).toContain('max_chars')
  }
})

test('the size of answers is configurable, and an argument overrides it', async () => {
  const client = await connect({ set: ['hub.mcpMaxChars=3000'] })
  expect(client.getInstructions()).toContain('default 3000')
  const size = async (given: object) =>
    firstText((await client.callTool({ name: 'list_kfl_fields', arguments: { ...given } })).content).length
  expect(await size({})).toBeLessThanOrEqual(3000)
  expect(await size({ max_chars: 9000 })).toBeGreaterThan(3000)
})

test('a tool that deletes, stops or changes something is marked as destructive, and one that only reads is not', async () => {
  const { tools } = await (await connect()).listTools()
  const hinted = tools.map(({ name, annotations }) => [name, annotations?.destructiveHint] as const)
  const changing = /^(disable|enable|manage)_/
  const adding = ['start_snapshot_dissection', 'create_snapshot', 'capture_and_dissect']
  for (const [name, hint] of hinted)
    expect([name, hint]).toEqual([name, changing.test(name) && !adding.includes(name)])
  for (const { name, annotations } of tools)
    expect([name, annotations?.readOnlyHint]).toEqual([
      name,
      /^(list|get|find|search|check|explain|diff|export)_/.test(name),
    ])
})

test('an answer is text, or structured content that fits its schema, and never both', async () => {
  const client = await connect({}, '/mcp?structured=true')
  await client.listTools()
  const answer = await client.callTool({ name: 'get_data_boundaries', arguments: {} })
  expect(answer.isError).toBeFalsy()
  expect(firstText(answer.content)).not.toContain('cluster')
  const empty = { cluster: { oldest_ts: null, newest_ts: null }, nodes: [] }
  expect(answer.structuredContent).toEqual(empty)
  const call = rpc('tools/call', { name: 'get_data_boundaries', arguments: {} })
  const { result } = (await hub.send('POST', '/mcp', call)).json
  expect([answerIn(result.content), result.structuredContent]).toEqual([empty, undefined])
})

test('every reading tool without required input answers', async () => {
  const client = await connect()
  const { tools } = await client.listTools()
  for (const { name, annotations, inputSchema } of tools)
    if (annotations?.readOnlyHint && !inputSchema.required?.length) {
      const { isError, content } = await client.callTool({ name, arguments: {} })
      // Live data needs a worker, and there is none here; a comparison needs two sides: then the answer says so.
      if (isError) expect(JSON.parse(firstText(content)), name).toMatchObject({ code: expect.any(String) })
    }
})

test('a wrong filter comes back as an error that says how to mend it', async () => {
  const client = await connect()
  const answer = await client.callTool({ name: 'check_filter', arguments: { kfl: 'src.pd == "x"' } })
  expect(firstText(answer.content)).toContain('src.pod')
  const refused = await client.callTool({ name: 'list_api_calls', arguments: { kfl: 'src.pd == "x"' } })
  expect(refused.isError).toBe(true)
  expect(JSON.stringify(refused.content)).toContain('src.pod')
})

test('a name with slashes stays one name', async () => {
  const client = await connect()
  const answer = await client.callTool({ name: 'get_snapshot', arguments: { name: '../../etc/passwd' } })
  expect(answer.isError).toBe(true)
})

test.each([
  ['get_snapshot', {}],
  ['get_snapshot', { name: '' }],
  ['delete_snapshot', { name: null }],
  ['get_snapshot', { name: '..' }],
  ['get_snapshot_dissection', { snapshot: '..', name: 'snapshots' }],
])('%s with %j is a wrong input and asks nothing else', async (name, input) => {
  const client = await connect()
  const { isError, content } = await client.callTool({ name, arguments: input })
  expect(isError).toBe(true)
  expect(JSON.parse(firstText(content))).toMatchObject({ status: 400, code: 'invalid_input' })
})

test('an argument that is not known is refused with those that are, not left out', async () => {
  const client = await connect()
  const refused = await client.callTool({ name: 'list_api_calls', arguments: { filter: 'http', limit: 1 } })
  expect(refused.isError).toBe(true)
  expect(JSON.parse(firstText(refused.content))).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: 'filter' }],
    hint: expect.stringContaining('kfl'),
  })
  const plain = await client.callTool({ name: 'get_dissection_status', arguments: { random_string: '' } })
  expect(answerIn(plain.content)).toEqual({ enabled: true })
})

test('null arguments are none', async () => {
  hub = await startHub()
  const call = rpc('tools/call', { name: 'get_dissection_status', arguments: null })
  expect(answerIn((await hub.send('POST', '/mcp', call)).json.result.content)).toEqual({ enabled: true })
  const several = await hub.send('POST', '/mcp', [call, { ...call, id: 2 }])
  expect(answerIn(several.json[1].result.content)).toEqual({ enabled: true })
  for (const odd of [null, 5, [null], [[[]]], { params: null }, { params: { arguments: null } }])
    expect((await hub.send('POST', '/mcp', odd)).status).toBe(400)
})

test('a name that nothing has is answered with names that come close', async () => {
  const client = await connect()
  await expect(client.callTool({ name: 'list_api_call', arguments: {} })).rejects.toThrow('list_api_calls')
  await expect(client.getPrompt({ name: 'find_error' })).rejects.toThrow('find_errors')
  await expect(client.readResource({ uri: 'tapdeck://kfl/field' })).rejects.toThrow('tapdeck://kfl/fields')
})

test.each([{}, { accept: '*/*' }])('a client that names no kind of answer (%j) gets one', async (headers) => {
  hub = await startHub()
  const single = await hub.send('POST', '/mcp', rpc('tools/list'), headers)
  expect(single.json.result.tools.length).toBeGreaterThan(10)
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const opened = await hub.send('POST', '/mcp', rpc('initialize', params), headers)
  expect(opened.text).toContain('"serverInfo"')
  const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  expect((await hub.send('POST', '/mcp', rpc('ping'), session)).text).toContain('"result":{}')
  const picky = await hub.send('POST', '/mcp', rpc('tools/list'), { accept: 'text/html' })
  expect(picky.status).toBe(406)
})

test('an unknown tool, prompt or resource is refused by name', async () => {
  const client = await connect()
  await expect(client.callTool({ name: 'rm_rf', arguments: {} })).rejects.toThrow('rm_rf')
  await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('nothing')
  await expect(client.readResource({ uri: 'tapdeck://nothing' })).rejects.toThrow('nothing')
})

test('prompts use what they are given, and say what is missing', async () => {
  const client = await connect()
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toContain('rewind_incident')
  const { messages } = await client.getPrompt({
    name: 'rewind_incident',
    arguments: { what: 'checkout failed' },
  })
  expect(JSON.stringify(messages)).toContain('checkout failed')
  await expect(client.getPrompt({ name: 'rewind_incident', arguments: {} })).rejects.toThrow('what')
})

test('prompts name only tools that exist', async () => {
  const client = await connect()
  const { tools } = await client.listTools()
  const known = new Set(tools.map(({ name }) => name))
  const { prompts } = await client.listPrompts()
  for (const { name, arguments: wanted = [] } of prompts) {
    const given = Object.fromEntries(wanted.map((one) => [one.name, 'x']))
    const text = JSON.stringify((await client.getPrompt({ name, arguments: given })).messages)
    for (const [word] of text.matchAll(/\b(?:get|list|create|start|stop|delete|enable|disable)_\w+/g))
      expect(known, `${name} names ${word}`).toContain(word)
  }
})

test('resources explain the filter language and the protocols', async () => {
  const client = await connect()
  const { resources } = await client.listResources()
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri })
    expect(JSON.stringify(contents).length).toBeGreaterThan(200)
  }
})

test('a listening MCP client is notified when indexing changes', async () => {
  const client = await connect()
  const received: unknown[] = []
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void received.push(params.data),
  )
  // The stream opens after the handshake; until then there is no client to notify.
  await until(
    async () => {
      await hub.send('POST', '/api/dissection/disable')
      await hub.send('POST', '/api/dissection/enable')
      return received.length
    },
    (count) => count > 0,
  )
  expect(JSON.stringify(received)).toContain('enabled')
})

test.each(['svc-realtime', 'svc-snapshot', 'svc-viewer'])('%s may not use the endpoint', async (role) => {
  hub = await startHub({ set: [`tap.auth.defaultRole=${role}`] })
  for (const message of [rpc('initialize'), rpc('tools/list')]) {
    const { status, json } = await hub.send('POST', '/mcp', message, accepts)
    expect([status, json.missing]).toEqual([403, 'mcp:use'])
  }
})

test('a client that keeps no session asks all the same', async () => {
  hub = await startHub()
  const { status, json } = await hub.send('POST', '/mcp', rpc('tools/list'), accepts)
  expect(status).toBe(200)
  expect(json.result.tools.length).toBeGreaterThan(20)
})

const cancels = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

test('a batch that takes back its own request is answered without it', async () => {
  hub = await startHub()
  const kept = { ...rpc('tools/list'), id: 2 }
  const post = (body: unknown) => hub.send('POST', '/mcp', body, accepts)
  expect((await post([rpc('tools/list'), cancels(1)])).status).toBe(202)
  expect((await post([rpc('tools/list'), kept, cancels(1)])).json).toMatchObject({ id: 2, result: {} })
  // Nothing was asked yet that this could mean.
  expect((await post([cancels(2), kept])).json).toMatchObject({ id: 2, result: {} })
})

test('the stream of a request that its session takes back comes to its end', async () => {
  hub = await startHub()
  let isAsked = false
  await hub.worker('n1', {
    calls() {
      isAsked = true
      return new Promise(() => undefined)
    },
  })
  const initialize = rpc('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'a-test', version: '1' },
  })
  const { headers } = await hub.send('POST', '/mcp', initialize, accepts)
  const session = { ...accepts, 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
  const post = (body: unknown) => hub.send('POST', '/mcp', body, session)
  const asked = post(rpc('tools/call', { name: 'list_api_calls', arguments: {} }))
  await until(
    () => isAsked,
    (is) => is,
  )
  expect((await post(cancels(1))).status).toBe(202)
  expect((await asked).text).toContain('cancelled')
})

test('broken JSON, a foreign session and a wrong method are refused clearly', async () => {
  hub = await startHub()
  const broken = await hub.send('POST', '/mcp', '{nope', { ...accepts, 'content-type': 'application/json' })
  expect([broken.status, broken.json.error.code]).toEqual([400, -32_700])
  const foreign = await hub.send('POST', '/mcp', rpc('tools/list'), { ...accepts, 'mcp-session-id': 'x' })
  expect([foreign.status, foreign.json.code]).toEqual([404, 'unknown_session'])
  expect((await hub.send('PUT', '/mcp', {})).status).toBe(405)
  expect((await hub.get('/mcp', { accept: 'text/event-stream' })).status).toBe(400)
})

test('another site cannot speak through the browser of a user', async () => {
  hub = await startHub()
  const { status } = await hub.send('POST', '/mcp', rpc('tools/list'), {
    ...accepts,
    origin: 'http://evil.example',
  })
  expect(status).toBe(403)
})

test('a batch of more messages than it may have is refused, and so is JSON that is nested too deep', async () => {
  hub = await startHub()
  const batch = Array.from({ length: 51 }, (_, id) => ({ ...rpc('ping'), id }))
  const refused = await hub.send('POST', '/mcp', batch, accepts)
  expect([refused.status, refused.json]).toMatchObject([400, { code: 'too_many_items', limit: 50 }])
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'[['.repeat(50)}${']]'.repeat(50)}}`
  const broken = await hub.send('POST', '/mcp', deep, { ...accepts, 'content-type': 'application/json' })
  expect([broken.status, broken.json.error.code]).toEqual([400, -32700])
})
