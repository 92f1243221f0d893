import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Call, Dissection, type Endpoint, protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex, type Peers } from '@tapdeck/index'
import { compile, createCatalog } from '@tapdeck/kfl'
import type { Address, Flow } from '@tapdeck/wire'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'

/*
 * Packets in memory → calls → a queryable index with payloads, flushed each 20,000 calls, next to dissection alone.
 * Run it under `taskset -c 0` for one core. Calls: TAPDECK_BENCH_CALLS, default 100,000, each with a body of 1 KB.
 */
const CALLS = Number(process.env.TAPDECK_BENCH_CALLS ?? 100_000)
const CONNECTIONS = 100
const FLUSH_EVERY = 20_000
/** Packets between two chances for others, as a reader of files or rings gives them. */
const AT_ONCE = 1000
const ETHERNET = 1

let state = 1
const below = (n: number) => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
  return state % n
}
const words =
  'order customer price quantity shipping address payment status pending user session item region'.split(' ')

function body(): string {
  let text = '['
  while (text.length < 1023)
    text += `{"id":${below(1e6)},"${words[below(13)]}":"${words[below(13)]}","v":${below(1e6) / 100}},`
  return `${text.slice(0, 1023)}]`
}

const bodies = Array.from({ length: 1000 }, body)

function packets(): BuiltPacket[] {
  const talks = Array.from({ length: CONNECTIONS }, (_, i) => {
    const talk = new Conversation({
      client: `10.0.${i % 40}.7`,
      server: `10.1.${i % 37}.9`,
      clientPort: 20_000 + i,
      step: 10,
    })
    talk.handshake()
    for (let n = 0; n < CALLS / CONNECTIONS; n++) {
      talk.send(
        0,
        `GET /api/v1/${words[below(13)]}s/${below(1e6)} HTTP/1.1\r\nHost: shop\r\nUser-Agent: bench/1.0\r\nX-Request-Id: ${i}-${n}\r\n\r\n`,
      )
      talk.send(
        1,
        `HTTP/1.1 ${below(50) === 0 ? 503 : 200} OK\r\nContent-Type: application/json\r\nContent-Length: 1024\r\n\r\n${bodies[below(1000)]}`,
      )
    }
    return talk.close()
  })
  const all: BuiltPacket[] = []
  for (let i = 0; i < talks[0].packets.length; i++)
    for (const { packets: of } of talks) if (i < of.length) all.push(of[i])
  return all
}

const names = new Map<string, { readonly pod: string; readonly svc: string; readonly ns: string }>()
for (let i = 0; i < 40; i++) names.set(`10.0.${i}.7`, { pod: `web-${i}`, svc: 'web', ns: 'shop' })
for (let i = 0; i < 37; i++) names.set(`10.1.${i}.9`, { pod: `svc-${i}-0`, svc: `svc-${i}`, ns: 'shop' })

function endpoint({ ip, port }: Address): Endpoint {
  return { ip, port, ...names.get(ip) }
}

function peersOf({ ends }: Flow, side: 0 | 1): Peers {
  return { src: endpoint(ends[side]), dst: endpoint(ends[side === 0 ? 1 : 0]) }
}

async function run(
  name: string,
  all: readonly BuiltPacket[],
  index: CallIndex | undefined,
  query?: () => Promise<unknown>,
): Promise<void> {
  let calls = 0
  let flushed = 0
  let asked = 0
  let asking: Promise<unknown> | undefined
  const dissection = new Dissection({
    emit: (call: Call) => {
      calls++
      index?.append(call, peersOf(call.flow, call.side))
    },
    flow: (flow) => index?.appendFlow(flow, peersOf(flow, 0)),
  })
  const cpu = process.cpuUsage()
  const started = performance.now()
  for (let at = 0; at < all.length; at += AT_ONCE) {
    for (const { data, time } of all.slice(at, at + AT_ONCE))
      dissection.packet(data, 0, data.length, data.length, time, ETHERNET)
    if (calls - flushed >= FLUSH_EVERY) {
      flushed = calls
      await index?.flush()
    } else await setImmediate()
    if (query && asking === undefined && flushed > 0) {
      asked++
      asking = query().finally(() => {
        asking = undefined
      })
    }
  }
  dissection.end()
  await index?.flush()
  await asking
  const seconds = (performance.now() - started) / 1000
  if (calls !== CALLS) throw new Error(`${calls} calls instead of ${CALLS}`)
  const { user, system } = process.cpuUsage(cpu)
  const rate = (time: number) => `${Math.round(calls / time).toLocaleString('en')}`.padStart(9)
  console.log(
    `${name.padEnd(44)} ${rate(seconds)} calls/s, ${rate((user + system) / 1e6)} a CPU second${asked > 0 ? `, ${asked} queries` : ''}`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
const catalog = createCatalog(protocols)
const open = (name: string) =>
  openIndex(
    join(folder, name),
    { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 512 * 1024 ** 2 },
    catalog,
  )
try {
  const all = packets()
  console.log(`${CALLS.toLocaleString('en')} calls in ${all.length.toLocaleString('en')} packets`)
  await run('dissection alone, cold', all, undefined)
  await run('dissection alone', all, undefined)
  const index = await open('a')
  await run('dissection and index, cold', all, index)
  await index.close()
  const warm = await open('b')
  await run('dissection and index', all, warm)
  await warm.close()
  const asked = await open('c')
  const filter = compile('dst.svc == "svc-5" and response.status >= 500', catalog)
  await run('dissection and index, asked all the time', all, asked, () =>
    asked.calls({ filter, limit: 100, order: 'newest' }),
  )
  const { size_bytes, calls } = await asked.summary()
  console.log(`${(size_bytes / calls).toFixed(0)} bytes a call before the chunk is finished`)
  await asked.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
