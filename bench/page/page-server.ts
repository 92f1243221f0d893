import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { capabilities } from '@tapdeck/api'
import { type WebSocket, WebSocketServer } from 'ws'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const NODES = 300
const EDGES = 2000
const MESSAGE_EVERY_MS = 50
const PORT = 8080

/**
 * The page of the dashboard with answers that cost nothing: only the page is measured. It has `calls` calls in a dissection, a live
 * stream of `rate` calls a second, and a map of 300 services with 2,000 edges whose figures move.
 */
export class PageServer {
  readonly url: string
  readonly #server: Server
  readonly #calls: number

  private constructor(server: Server, calls: number) {
    this.#server = server
    this.#calls = calls
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(folder: string, calls: number, rate: number): Promise<PageServer> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page')
      if (pathname.startsWith('/api/')) {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(page.answer(pathname, searchParams)))
        return
      }
      const file = pathname === '/' ? 'index.html' : pathname.slice(1)
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
      response.end(readFileSync(join(folder, file)))
    })
    const streams = new WebSocketServer({ server, path: '/api/stream' })
    streams.on('connection', (socket) => stream(socket, rate))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const page = new PageServer(server, calls)
    return page
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  answer(path: string, parameters: URLSearchParams): unknown {
    switch (path) {
      case '/api/whoami':
        return { name: 'bench', role: 'svc-admin', capabilities, namespaces: '*', auth: { enabled: false } }
      case '/api/calls':
        return this.#page(parameters)
      case '/api/stats':
        return { groups: [] }
      case '/api/topology':
        return topology()
      case '/api/dissections':
        return { dissections: [] }
      case '/api/kfl/fields':
        return { fields: [] }
      case '/api/data-boundaries':
        return { nodes: [], start_at: null, end_at: null }
      default:
        return { version: 'bench', nodes: [], snapshots: [], filters: [] }
    }
  }

  /** Call 0 is the newest; each is a millisecond older than the one before. */
  #page(parameters: URLSearchParams): unknown {
    const newest = Date.UTC(2026, 0, 1)
    const read = (name: string) => (parameters.has(name) ? Number(parameters.get(name)) : undefined)
    const [start, end, limit = 100] = [read('start'), read('end'), read('limit')]
    const first = end === undefined ? 0 : Math.max(0, Math.ceil(newest - end))
    const last = start === undefined ? this.#calls - 1 : Math.min(this.#calls - 1, Math.floor(newest - start))
    const isNewest = parameters.get('order') !== 'oldest'
    const done = read('cursor') ?? 0
    const total = Math.max(0, last - first + 1)
    const numbers = Array.from({ length: Math.min(limit, total - done) }, (_, i) =>
      isNewest ? first + done + i : last - done - i,
    )
    const more = done + numbers.length < total
    return {
      calls: numbers.map((number) => callOf(`n/${number}/0`, newest - number)),
      total,
      total_is: 'exact',
      truncated: more,
      next_cursor: more ? String(done + numbers.length) : null,
    }
  }
}

function stream(socket: WebSocket, rate: number): void {
  const say = (message: object) => socket.send(JSON.stringify(message))
  const since = new Date().toISOString()
  say({ kind: 'switch', state: { enabled: true, since, by: 'bench', reason: 'start' } })
  say({ kind: 'nodes', nodes: [] })
  socket.on('message', (text) => {
    const request = JSON.parse(String(text))
    if (request.kind === 'filter') say({ kind: 'filtered', kfl: request.kfl })
  })
  let sent = 0
  const perMessage = Math.round((rate * MESSAGE_EVERY_MS) / 1000)
  const timer = setInterval(() => {
    const now = Date.now()
    const calls = Array.from({ length: perMessage }, () => callOf(`live/${sent++}/0`, now))
    say({ kind: 'calls', calls, skipped: 0 })
  }, MESSAGE_EVERY_MS)
  socket.on('close', () => clearInterval(timer))
}

function callOf(id: string, ts: number): object {
  const number = Number(id.split('/')[1])
  const fails = number % 17 === 0
  return {
    id,
    ts,
    proto: 'http',
    method: 'GET',
    path: `/orders/${number}/items`,
    status: fails ? 500 : 200,
    latency_ms: (number % 400) / 3,
    ...(fails && { error: 'http_5xx' }),
    src: {
      ip: `10.0.0.${number % 250}`,
      port: 30_000 + (number % 5000),
      pod: `web-${number % 12}`,
      ns: 'shop',
    },
    dst: { ip: '10.1.0.1', port: PORT, svc: 'orders', ns: 'shop' },
  }
}

function topology(): unknown {
  const names = Array.from({ length: NODES }, (_, i) => `service-${i}`)
  const edges = Array.from({ length: EDGES }, (_, i) => {
    const calls = 100 + Math.floor(Math.random() * 900)
    const src = names[i % NODES]
    const dst = names[(i * 7 + Math.floor(i / NODES) * 13 + 1) % NODES]
    return {
      src,
      dst,
      calls,
      rate: calls / 900,
      errors: i % 19 === 0 ? 5 : 0,
      error_rate: i % 19 === 0 ? 0.02 : 0,
      unanswered: 0,
      latency_p50_ms: 3,
      latency_p95_ms: 20 + Math.random() * 50,
      bytes: 1000,
      request_bytes: 500,
      response_bytes: 500,
      protocols: { http: calls },
      kfl: 'http',
    }
  })
  return {
    by: 'service',
    window: { start_at: null, end_at: null, seconds: 900 },
    nodes: names.map((name) => ({
      id: name,
      name,
      kind: 'service',
      calls_in: 10,
      errors_in: 0,
      calls_out: 10,
      errors_out: 0,
    })),
    edges,
  }
}
