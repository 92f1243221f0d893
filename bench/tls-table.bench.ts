import { setTimeout as sleep } from 'node:timers/promises'
import { RunningTapdeck } from '../test/e2e/running-tapdeck.ts'
import { clientTargets } from './tls-table/clients.ts'
import { httpServerTargets } from './tls-table/http-servers.ts'
import { otherServerTargets } from './tls-table/other-servers.ts'
import { Stage, type Version } from './tls-table/stage.ts'
import type { Target } from './tls-table/target.ts'

/**
 * How many requests inside TLS are found: programs with TLS 1.2 and 1.3, each with 100 requests, half of them on connections of their
 * own, live, in the recording and in a dissection of a snapshot. Only the program in the row is a target. Needs root. A word selects
 * rows by name, as in `npm run bench tls-table curl`. Requests: TAPDECK_BENCH_REQUESTS (100).
 */
const REQUESTS = Number(process.env.TAPDECK_BENCH_REQUESTS ?? 100)
const VERSIONS: readonly Version[] = ['1.2', '1.3']
/** Until a library is probed and understood, its first connections are closed. */
const MAX_WARM_UPS = 40
/** How long a view is asked again, while it still finds more. */
const QUIET_MS = 5000

interface Row {
  readonly title: string
  readonly mark: string
  readonly port: number
  readonly warmUps: number
  readonly live: number
}

interface Page {
  readonly calls?: readonly unknown[]
  readonly next_cursor?: string
  readonly error?: unknown
}

const words = process.argv.slice(2)
const targets = [...clientTargets, ...httpServerTargets, ...otherServerTargets].filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)
const stage = new Stage()
const tapdeck = await RunningTapdeck.start([
  'tap.capture.dissection.stopAfter=0',
  'tap.tls.capture.enabled=true',
  `tap.tls.capture.processes=${Stage.processes}`,
])
const began = Date.now()
try {
  const rows: Row[] = []
  for (const target of targets) {
    const reason = target.missing?.()
    if (reason !== undefined) console.log(`${target.name}: ${reason}`)
    else for (const version of VERSIONS) rows.push(await measure(target, version))
  }
  await tapdeck.post('/mcp/snapshots', { name: 'table', duration: '2h' })
  await completed('/mcp/snapshots/table')
  await tapdeck.post('/mcp/dissections', { snapshot_name: 'table', dissection_name: 'all' })
  await completed('/mcp/dissections/table/all')
  console.log(
    `${'program'.padEnd(20)} ${'sent'.padStart(5)} ${'live'.padStart(5)} ${'rewind'.padStart(7)} ${'snapshot'.padStart(9)}  connections before the first key; what was not opened`,
  )
  for (const row of rows) {
    const [rewind, snapshot] = [await found(row, 'recording'), await found(row, 'table/all')]
    const shown = [String(REQUESTS).padStart(5), String(row.live).padStart(5), String(rewind).padStart(7)]
    const closed = await reasons(row)
    console.log(
      `${row.title.padEnd(20)} ${shown.join(' ')} ${String(snapshot).padStart(9)}  ${row.warmUps}; ${closed}`,
    )
  }
  const { nodes = [] } = (await tapdeck.get('/api/status')) as { nodes?: { tls_keys?: unknown }[] }
  console.log(JSON.stringify(nodes.map(({ tls_keys }) => tls_keys)))
} finally {
  await tapdeck.stop()
  stage.remove()
}

async function measure(target: Target, version: Version): Promise<Row> {
  const title = `${target.name} ${version}`
  const mark = `${title.replace(/[^a-z0-9]/g, '')}-`
  const exchange = await target.open(stage, version)
  const { port } = exchange
  try {
    const warmUps = await warmUp(port, (marker) => exchange.each([marker]))
    const markers = Array.from({ length: REQUESTS }, (_, at) => `${mark}${String(at).padStart(4, '0')}`)
    const half = Math.ceil(REQUESTS / 2)
    await exchange.each(markers.slice(0, half))
    await exchange.together(markers.slice(half))
    const row = { title, mark, port, warmUps, live: 0 }
    let live = 0
    for (let quiet = 0; live < REQUESTS && quiet < QUIET_MS; quiet += 250) {
      await sleep(250)
      const now = await found(row)
      if (now > live) quiet = 0
      live = now
    }
    console.log(`${title}: ${live} of ${REQUESTS} live`)
    return { ...row, live }
  } finally {
    stage.stopAll()
  }
}

/** Sends requests until one was opened. Returns how many were not. */
async function warmUp(port: number, send: (marker: string) => Promise<void>): Promise<number> {
  for (let count = 0; count < MAX_WARM_UPS; count++) {
    await send(`warm-${count}`)
    for (let wait = 0; wait < 2000; wait += 250) {
      await sleep(250)
      if ((await calls(`decrypted and dst.port == ${port}`)).length > 0) return count
    }
  }
  return MAX_WARM_UPS
}

/** How many different markers the decrypted calls of a row have. */
async function found({ mark, port }: Row, db?: string): Promise<number> {
  const pattern = new RegExp(`${mark}\\d{4}`, 'g')
  const all = await calls(`decrypted and dst.port == ${port}`, db)
  return new Set(all.flatMap((call) => JSON.stringify(call).match(pattern) ?? [])).size
}

async function reasons({ port }: Row): Promise<string> {
  const counts = new Map<string, number>()
  for (const call of await calls(`tls and dst.port == ${port} and !decrypted`)) {
    const { tls } = call as { tls?: { not_decrypted?: string } }
    const reason = tls?.not_decrypted
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `${reason} ${count}`).join(', ')
}

/** All calls that match, page by page. */
async function calls(kfl: string, db?: string): Promise<unknown[]> {
  const all: unknown[] = []
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({
      ...{ kfl, limit: '1000', format: 'full', start: String(began - 1000) },
      ...(db !== undefined && { db }),
      ...(cursor !== undefined && { cursor }),
    })
    const page = (await tapdeck.get(`/mcp/calls?${query}`)) as Page
    if (page.error !== undefined) throw new Error(JSON.stringify(page.error))
    all.push(...(page.calls ?? []))
    cursor = page.next_cursor
    if (cursor === undefined) return all
  }
}

async function completed(path: string): Promise<void> {
  for (;;) {
    const { status } = (await tapdeck.get(path)) as { status: string }
    if (status === 'completed') return
    if (status === 'failed') throw new Error(`${path} failed`)
    await sleep(250)
  }
}
