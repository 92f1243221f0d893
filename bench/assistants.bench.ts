import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type Call, type Message, protocols } from '@tapdeck/dissect'
import { openIndex, type Peers } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import type { Flow } from '@tapdeck/wire'
import { IndexWorker } from '../apps/hub/src/testing/index-worker.ts'
import { startHub } from '../apps/hub/src/testing/start-hub.ts'
import { multiplyIndex } from './assistants/multiply-index.ts'

/*
 * What assistants cost: `find_suspects` over many calls, the largest answer of each tool, many assistants at once, and one
 * that never reads. Hub and index are in this process, and so is their memory. Calls: TAPDECK_BENCH_ROWS, default 1,000,000.
 * The argument `suspects` measures only find_suspects.
 */
const ROWS = Number(process.env.TAPDECK_BENCH_ROWS ?? 1_000_000)
/** Calls that are written one by one; the others repeat them. */
const BASE_ROWS = 50_000
const FLUSH_EVERY = 25_000
const AT_ONCE = 500
const ASSISTANTS = 50
const ATTEMPTS = 10
/** What one answer may have by default. */
const CEILING = 16_000
/** Six hours, whatever the number of calls. */
const SPAN_US = 6 * 3600 * 1e6
const START_US = 1_767_225_600_000_000
const SERVICES = 40

let state = 1
const random = () => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
  return state / 0x7fff_ffff
}
const below = (n: number) => Math.floor(random() * n)
const encoder = new TextEncoder()
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
const line = (name: string, value: string) => console.log(`${name.padEnd(44)} ${value}`)

const flows = Array.from({ length: 4000 }, (_, i): Flow => {
  const direction = () => ({ packets: 10, bytes: 9000, goodput: 8000, missing: 0 })
  const counters = { rtt_samples: 4, fast_retransmissions: 0, duplicate_acks: 0, out_of_order: 0 }
  return {
    id: below(2 ** 22) * 2 ** 31 + below(2 ** 31),
    transport: 'tcp',
    ends: [
      { ip: `10.0.${i % SERVICES}.${1 + (i % 7)}`, port: 32_768 + (i % 28_000) },
      { ip: `10.0.${(i * 7 + 1) % SERVICES}.${1 + (i % 3)}`, port: 8080 },
    ],
    midstream: false,
    start: START_US,
    last: START_US + SPAN_US,
    directions: [direction(), direction()],
    tcp: {
      ...{ ...counters, handshake_us: 50 + below(3000), retransmissions: i % 50 === 0 ? 1 : 0 },
      ...{ overlap_conflicts: 0, zero_window: 0, window_full: 0, keep_alive: 0, resets: 0, fins: 0 },
      completeness: 15,
    },
    state: undefined,
  }
})
const peers = flows.map(({ ends: [client, server] }): Peers => {
  const named = ({ ip, port }: typeof client) => {
    const [, , service, pod] = ip.split('.')
    return { ip, port, pod: `svc-${service}-${pod}`, svc: `svc-${service}`, ns: 'shop', node: 'node-1' }
  }
  return { src: named(client), dst: named(server) }
})
const ordinals = new Uint32Array(flows.length)

/** In the second half, calls to one service are slow and some fail. */
function makeCall(n: number): [Call, Peers] {
  const at = below(flows.length)
  const start = START_US + n
  const isFaulty = n >= BASE_ROWS / 2 && peers[at]!.dst.svc === 'svc-7'
  const latency = 500 + Math.floor(random() ** 4 * 30_000) + (isFaulty ? 80_000 : 0)
  const status = random() < (isFaulty ? 0.2 : 0.01) ? 503 : 200
  const path = `/api/v1/items/${below(1e6)}/parts/${words[below(words.length)]}`
  const head = encoder.encode(`GET ${path} HTTP/1.1\r\nHost: shop\r\nX-Request-Id: ${below(1e9)}\r\n\r\n`)
  const answer = encoder.encode(`HTTP/1.1 ${status} OK\r\nContent-Length: 200\r\nX-Release: ${n % 3}\r\n\r\n`)
  const body = bodies[below(bodies.length)]!
  const request: Message = { kind: 'request', head, start, end: start + 30, size: head.length }
  const response: Message = {
    ...{ kind: 'response', head: answer, body, start: start + latency - 100, end: start + latency },
    size: answer.length + body.length,
  }
  const failure = status >= 500 && { failure: '503 Service Unavailable' }
  const call = {
    ...{ flow: flows[at]!, ordinal: ordinals[at]!++, protocol: 'http', side: 0 as const, request, response },
    ...{ start, end: start + latency, summary: { method: 'GET', path, status, ...failure } },
  }
  return [call, peers[at]!]
}
const words = 'order customer price quantity shipping address payment status user session'.split(' ')
const bodies = words.map((word) =>
  encoder.encode(JSON.stringify({ word, text: word.repeat(40) }).slice(0, 200)),
)

/** Halves of the window, for tools that compare two. */
const compared = {
  ...{ start: (START_US + SPAN_US / 2) / 1000, end: (START_US + SPAN_US) / 1000 },
  ...{ baseline_start: START_US / 1000, baseline_end: (START_US + SPAN_US / 2) / 1000 },
  ...{ a_start: START_US / 1000, a_end: (START_US + SPAN_US / 2) / 1000 },
  ...{ b_start: (START_US + SPAN_US / 2) / 1000, b_end: (START_US + SPAN_US) / 1000 },
}

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 512 * 1024 ** 2 }
const place = join(folder, 'index')
const catalog = createCatalog(protocols)
await makeIndex()
const index = await openIndex(place, options, catalog)
const hub = await startHub({ folder: join(folder, 'hub') })
const clients: Client[] = []
let peak = 0
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 100)
try {
  await hub.worker('node-1', IndexWorker.answersFrom(index))
  const client = await assistant()
  const id = await firstId(client)
  await suspects(client)
  if (!process.argv.includes('suspects')) {
    await largestAnswers(client, id)
    await manyAssistants()
    await oneThatNeverReads()
  }
} finally {
  clearInterval(watch)
  for (const client of clients) await client.close()
  await hub.stop()
  await index.close()
  rmSync(folder, { recursive: true, force: true })
}

async function makeIndex(): Promise<void> {
  const started = performance.now()
  const small = await openIndex(place, options, catalog)
  for (let n = 0; n < BASE_ROWS; n += AT_ONCE) {
    for (let i = 0; i < AT_ONCE; i++) small.append(...makeCall(n + i))
    if ((n + AT_ONCE) % FLUSH_EVERY === 0) await small.flush()
    else await setImmediate()
  }
  for (const [at, flow] of flows.entries()) small.appendFlow(flow, peers[at]!)
  await small.close()
  await multiplyIndex(place, {
    ...{ rows: ROWS, from: START_US, span: SPAN_US },
    ...{ faultAt: START_US + BASE_ROWS / 2, healthy: 2 / 3 },
    path: `'/api/v1/items/' || n || '/parts/' || split_part(path, '/', 7)`,
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  line(`${ROWS.toLocaleString('en')} calls made`, `${seconds} s`)
}

async function assistant(): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${hub.port}/mcp`)))
  clients.push(client)
  return client
}

interface Answer {
  readonly text: string
  readonly isError: boolean
}

async function ask(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  const asked = { name, arguments: input }
  const { content, isError } = await client.callTool(asked, undefined, { timeout: 600_000 })
  const [{ text } = { text: '' }] = content as readonly { readonly text: string }[]
  return { text, isError: isError === true }
}

/** Memory that a part of the run takes beyond what there was before it. */
async function measured<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  peak = before
  const cpu = process.cpuUsage()
  const started = performance.now()
  const result = await work()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  peak = Math.max(peak, process.memoryUsage.rss())
  const processor = ((user + system) / 1e6).toFixed(1)
  const more = `${megabytes(peak - before)} more (peak ${megabytes(peak)})`
  line(name, `${seconds.toFixed(1)} s, ${processor} s of processor time, ${more}`)
  return result
}

/** The id of a call. Over a cold index on a busy host, the first answers may come too late for the hub. */
async function firstId(client: Client): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { text, isError } = await ask(client, 'list_api_calls', { limit: 1 })
    if (!isError) return JSON.parse(text).calls[0].id
    line('  refused', text)
    if (attempt === ATTEMPTS) throw new Error('the index does not answer')
  }
}

async function suspects(client: Client): Promise<void> {
  const { text, isError } = await measured('find_suspects', () => ask(client, 'find_suspects', {}))
  if (isError) {
    line('  refused', text)
    process.exitCode = 1
    return
  }
  const { suspects: found = [], baseline_is } = JSON.parse(text)
  line('  its first suspect', `${found[0]?.what} (${baseline_is})`)
}

async function largestAnswers(client: Client, id: string): Promise<void> {
  const { tools } = await client.listTools()
  line('tools/list', `${JSON.stringify({ tools }).length} characters`)
  let worst = 0
  for (const { name, annotations, inputSchema } of tools) {
    if (!annotations?.readOnlyHint) continue
    const properties = (inputSchema.properties ?? {}) as Readonly<Record<string, { maximum?: number }>>
    const wide = {
      ...{ limit: properties.limit?.maximum, format: 'full', id, query: 'status', kfl: '' },
      ...{ group_by: 'sort' in properties ? 'src,dst' : 'path', name: 'svc', ...compared },
    }
    const input = Object.fromEntries(
      Object.entries(wide).filter(([key, value]) => key in properties && value !== undefined),
    )
    const started = performance.now()
    const { text, isError } = await ask(client, name, input)
    worst = Math.max(worst, text.length)
    const refusal = isError ? `, refused: ${text}` : ''
    line(`  ${name}`, `${text.length} characters, ${Math.round(performance.now() - started)} ms${refusal}`)
  }
  line(`largest answer, of at most ${CEILING}`, `${worst} characters`)
  if (worst > CEILING) process.exitCode = 1
}

async function manyAssistants(): Promise<void> {
  const many = await Promise.all(Array.from({ length: ASSISTANTS }, assistant))
  const refusals = new Map<string, number>()
  const question = async (client: Client, name: string, input: Record<string, unknown>) => {
    const { text, isError } = await ask(client, name, input)
    if (isError) refusals.set(text, (refusals.get(text) ?? 0) + 1)
    return isError ? {} : JSON.parse(text)
  }
  await measured(`${ASSISTANTS} assistants, 4 questions each`, () =>
    Promise.all(
      many.map(async (client, at) => {
        await question(client, 'get_api_stats', { group_by: 'src_service,service' })
        const kfl = `dst.svc == "svc-${at % SERVICES}"`
        const { calls = [] } = await question(client, 'list_api_calls', { kfl })
        if (calls.length > 0) await question(client, 'get_api_call', { id: calls[0].id })
        await question(client, 'list_l4_flows', { aggregate: 'service' })
      }),
    ),
  )
  for (const [text, count] of refusals) line('  refused', `${count} times: ${text}`)
  await measured(`${ASSISTANTS} assistants that cancel`, () =>
    Promise.all(
      many.map(async (client) => {
        const cancelled = new AbortController()
        const asked = { name: 'get_api_stats', arguments: { group_by: 'src,dst,path' } }
        const answer = client
          .callTool(asked, undefined, { signal: cancelled.signal })
          .catch(() => 'cancelled')
        setTimeout(() => cancelled.abort(), 20)
        await answer
      }),
    ),
  )
  const after = await ask(many[0]!, 'get_data_boundaries', {})
  line('  the next answer after that', after.isError ? after.text : 'comes')
}

/** It sends requests over one connection and takes no byte of the answers. */
async function oneThatNeverReads(): Promise<void> {
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'list_kfl_fields', arguments: { max_chars: 400_000 } },
  })
  const request = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const socket = connect(hub.port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  await measured('one that sends 2000 requests and never reads', async () => {
    for (let sent = 0; sent < 2000; sent++) if (!socket.write(request)) await sleep(5)
    await sleep(5000)
    const answer = await fetch(`http://127.0.0.1:${hub.port}/healthz`)
    line('  the hub meanwhile', answer.ok ? 'answers' : String(answer.status))
  })
  socket.destroy()
}
