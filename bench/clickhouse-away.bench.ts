import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/*
 * Hub and worker with the engine ClickHouse, under constant load. ClickHouse is killed (SIGKILL), stays away, and is started
 * again with its data: each request must be a call once. TAPDECK_BENCH_MINUTES: how long it is away (10). TAPDECK_BENCH_RATE:
 * requests a second (50). As root, to capture; with the native ClickHouse of npm.
 */
const MINUTES = Number(process.env.TAPDECK_BENCH_MINUTES ?? 10)
const RATE = Number(process.env.TAPDECK_BENCH_RATE ?? 50)
const BEFORE_MS = 30_000
const HUB_PORT = '18978'
const base = `http://127.0.0.1:${HUB_PORT}`
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-away-'))

interface Page {
  readonly calls: readonly { readonly path: string }[]
  readonly next_cursor: string | null
}

interface Node {
  readonly index_queue?: { readonly queued_bytes: number }
}

/** Keeps one address for a ClickHouse that comes back on another port. */
let target: number | undefined
const links = new Set<Socket>()
const relay = createTcpServer((client) => {
  if (target === undefined) return client.destroy()
  const server = connect(target, '127.0.0.1')
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    links.add(one)
    one.pipe(other)
    one.on('error', () => other.destroy())
    one.on('close', () => {
      links.delete(one)
      other.destroy()
    })
  }
})
relay.listen(0, '127.0.0.1')
await once(relay, 'listening')

let engine = await startEngine()
const shop = createServer((_request, response) => response.end('{"ok":true}'))
shop.listen(0, '127.0.0.1')
await once(shop, 'listening')
const shopPort = (shop.address() as AddressInfo).port
const settings = [
  'tap.index.engine=clickhouse',
  `tap.index.clickhouse.url=http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
  'tap.capture.dissection.stopAfter=0',
  `tap.bpfOverride=tcp port ${shopPort}`,
]
const up = spawn(
  process.execPath,
  [
    join('dist', 'tapdeck.mjs'),
    ...['up', '--port', HUB_PORT, '--data', join(folder, 'data'), '--interface', 'lo'],
    ...settings.flatMap((one) => ['--set', one]),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)

let sent = 0
try {
  await until('the first call is stored', async () => {
    await (await fetch(`http://127.0.0.1:${shopPort}/before`)).text()
    return (await (await fetch(`${base}/mcp/calls?limit=1`)).json()).calls.length > 0
  })
  let running = true
  const load = (async () => {
    const began = performance.now()
    while (running) {
      while (sent < ((performance.now() - began) / 1000) * RATE)
        await (await fetch(`http://127.0.0.1:${shopPort}/number/${sent++}`)).text()
      await wait(20)
    }
  })()
  await wait(BEFORE_MS)
  engine.kill()
  const killedAt = performance.now()
  console.log(`ClickHouse killed after ${sent} requests`)
  while (performance.now() - killedAt < MINUTES * 60_000) {
    await wait((MINUTES * 60_000) / 5)
    const { status } = await fetch(`${base}/mcp/calls?limit=1`)
    console.log(
      `  after ${((performance.now() - killedAt) / 60_000).toFixed(1)} min: ${sent} requests, live calls ${status}, ${JSON.stringify((await node()).index_queue)}`,
    )
  }
  engine = await startEngine()
  console.log(`ClickHouse is back after ${sent} requests`)
  const backAt = performance.now()
  await until('the queue is short', async () => ((await node()).index_queue?.queued_bytes ?? 1e9) < 1e6)
  console.log(`the queue is stored after ${((performance.now() - backAt) / 1000).toFixed(1)} s`)
  await wait(BEFORE_MS / 2)
  running = false
  await load
  await until('the queue is empty', async () => (await node()).index_queue?.queued_bytes === 0)
  await wait(BEFORE_MS / 2)
  const { total, numbers } = await stored()
  const missing = Array.from({ length: sent }, (_, n) => n).filter((n) => !numbers.has(n))
  const isRight = total === sent && missing.length === 0
  console.log(
    `${sent} requests, ${total} calls, ${numbers.size} different: ${isRight ? 'each once' : 'WRONG'}`,
  )
  if (!isRight) {
    console.log(
      `missing: ${missing.length}, the first ${missing.slice(0, 10)}; ${JSON.stringify(await node())}`,
    )
    process.exitCode = 1
  }
} finally {
  up.kill('SIGTERM')
  await once(up, 'exit')
  engine.kill()
  shop.close()
  shop.closeAllConnections()
  relay.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function startEngine(): Promise<{ kill(): void }> {
  const data = join(folder, 'clickhouse')
  mkdirSync(data, { recursive: true })
  const child = spawn(process.execPath, ['scripts/clickhouse.mjs', '--serve', data], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const { url, pid } = JSON.parse(String(line)) as { url: string; pid: number }
  target = Number(new URL(url).port)
  return {
    kill() {
      process.kill(pid, 'SIGKILL')
      child.stdin.end()
      target = undefined
      for (const link of links) link.destroy()
    },
  }
}

async function node(): Promise<Node> {
  const { nodes } = await (await fetch(`${base}/api/status`)).json()
  return nodes[0]
}

/** How many calls there are, and the numbers of their requests. */
async function stored(): Promise<{ readonly total: number; readonly numbers: ReadonlySet<number> }> {
  const kfl = encodeURIComponent('request.path startsWith "/number/"')
  const numbers: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: Page = await (await fetch(`${base}/mcp/calls?limit=1000&kfl=${kfl}${after}`)).json()
    numbers.push(...page.calls.map(({ path }) => Number(path.split('/')[2])))
    cursor = page.next_cursor ?? null
  }
  return { total: numbers.length, numbers: new Set(numbers) }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    if (await holds().catch(() => false)) return
    await wait(200)
  }
  throw new Error(`it did not come to be that ${what}`)
}
