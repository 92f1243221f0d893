import { Random } from './random.ts'
import { connect, interleave, type Workload } from './workload.ts'

const CONNECTIONS = 200
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36',
  'Go-http-client/1.1',
  'python-requests/2.32.3',
  'okhttp/4.12.0',
]
const THINGS = ['orders', 'customers', 'items', 'carts', 'payments', 'sessions', 'reviews']
const STATES = ['pending', 'paid', 'shipped', 'returned', 'cancelled']

/** JSON of about `size` bytes. */
export function json(random: Random, size: number): string {
  let text = '{"data":['
  while (text.length < size - 110)
    text += `{"id":${random.below(1e6)},"state":"${random.of(STATES)}","total":${random.below(1e6) / 100},"customer":"c-${random.hex(8)}","items":${random.below(20)}},`
  return `${text.slice(0, -1)}],"page":${random.below(50)},"next":"/api/v2/${random.of(THINGS)}?cursor=${random.hex(16)}"}`
}

function request(random: Random): string {
  const id = random.hex(32)
  const head = `Host: ${random.of(THINGS)}.shop.svc.cluster.local\r\nUser-Agent: ${random.of(AGENTS)}\r\nAccept: application/json, text/plain, */*\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: en-US,en;q=0.9\r\nX-Request-Id: ${id}\r\ntraceparent: 00-${id}-${random.hex(16)}-01\r\n`
  if (random.below(10) > 0)
    return `GET /api/v2/${random.of(THINGS)}/${random.below(1e6)}?page=${random.below(50)}&limit=20 HTTP/1.1\r\n${head}\r\n`
  const body = json(random, 300)
  return `POST /api/v2/${random.of(THINGS)} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function response(random: Random): string {
  const dice = random.below(50)
  const status = dice === 0 ? '500 Internal Server Error' : dice === 1 ? '404 Not Found' : '200 OK'
  const body = json(random, dice < 2 ? 120 : 300 + random.below(800))
  return `HTTP/1.1 ${status}\r\nServer: nginx/1.27.1\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\nCache-Control: no-store\r\nETag: W/"${random.hex(12)}"\r\nX-Envoy-Upstream-Service-Time: ${random.below(90)}\r\n\r\n${body}`
}

/** Enough of both that they do not repeat soon, made beforehand because making them is slower than all else. */
function exchanges(seed: number): () => readonly [Buffer, Buffer] {
  const random = new Random(seed)
  const made = Array.from(
    { length: 8191 },
    () => [Buffer.from(request(random)), Buffer.from(response(random))] as const,
  )
  let next = 0
  return () => made[next++ % made.length]
}

const asked = {
  tshark: {
    filter: 'http.response',
    fields: ['http.response_for.uri', 'http.response.code', 'http.time'],
  },
  suricata: 'http',
}

export const keepAlive: Workload = {
  name: 'HTTP/1.1 keep-alive',
  word: 'http',
  ...asked,
  write(file, bytes) {
    const exchange = exchanges(1)
    const talks = Array.from({ length: CONNECTIONS }, (_, number) => connect(file, number, 8080))
    let calls = 0
    interleave(file, bytes, talks, (talk) => {
      talk.ask(...exchange())
      calls++
    })
    for (const talk of talks) talk.close()
    return calls
  },
}

export const shortLived: Workload = {
  name: 'HTTP/1.1, a connection a call',
  word: 'http-short',
  ...asked,
  write(file, bytes) {
    const exchange = exchanges(2)
    let calls = 0
    while (file.bytes < bytes) {
      // Some are under way at once.
      const talks = Array.from({ length: 50 }, () => connect(file, calls++, 80))
      for (const talk of talks) talk.ask(...exchange())
      for (const talk of talks) talk.close()
    }
    return calls
  },
}
