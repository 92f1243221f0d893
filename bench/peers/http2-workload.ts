import type { CaptureFile } from './capture-file.ts'
import { HpackEncoder } from './hpack-encoder.ts'
import { json } from './http-workload.ts'
import { Random } from './random.ts'
import type { TcpTalk } from './tcp-talk.ts'
import { connect, interleave, type Workload } from './workload.ts'

const CONNECTIONS = 100
/** Requests under way at once on a connection. */
const TOGETHER = 4
const DATA = 0
const HEADERS = 1
const SETTINGS = 4
const END_STREAM = 1
const END_HEADERS = 4
const THINGS = ['orders', 'customers', 'items', 'carts', 'payments', 'sessions', 'reviews']

function frame(type: number, flags: number, stream: number, content: readonly number[] | Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(content.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, Uint8Array.from(content)])
}

class Http2Talk {
  calls = 0
  readonly #talk: TcpTalk
  readonly #random: Random
  readonly #bodies: readonly Buffer[]
  readonly #asks = new HpackEncoder()
  readonly #tells = new HpackEncoder()
  #stream = 1

  constructor(file: CaptureFile, number: number, bodies: readonly Buffer[]) {
    this.#random = new Random(number + 17)
    this.#bodies = bodies
    this.#talk = connect(file, number, 8080)
    const hello = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    const settings = frame(SETTINGS, 0, 0, [0, 3, 0, 0, 0, 100, 0, 4, 0, 1, 0, 0])
    this.#talk.ask(Buffer.concat([hello, settings]), Buffer.concat([settings, frame(SETTINGS, 1, 0, [])]))
    this.#talk.say(0, frame(SETTINGS, 1, 0, []))
  }

  speak(): void {
    const asked: Buffer[] = []
    const told: Buffer[] = []
    for (let i = 0; i < TOGETHER; i++) {
      asked.push(...this.#request())
      told.push(...this.#response())
      this.#stream += 2
      this.calls++
    }
    this.#talk.ask(Buffer.concat(asked), Buffer.concat(told))
  }

  close(): void {
    this.#talk.close()
  }

  #request(): readonly Buffer[] {
    const random = this.#random
    const trace = random.hex(32)
    const post = random.below(10) === 0
    const thing = random.of(THINGS)
    const block = this.#asks.encode([
      [':method', post ? 'POST' : 'GET'],
      [':scheme', 'http'],
      [':path', post ? `/api/v2/${thing}` : `/api/v2/${thing}/${random.below(1e6)}?page=${random.below(50)}`],
      [':authority', 'shop.svc.cluster.local:8080'],
      ['user-agent', 'node-fetch/1.0'],
      ['accept', 'application/json'],
      ['accept-encoding', 'gzip, deflate'],
      ['x-request-id', trace],
      ['traceparent', `00-${trace}-${random.hex(16)}-01`],
    ])
    const head = frame(HEADERS, post ? END_HEADERS : END_HEADERS | END_STREAM, this.#stream, block)
    return post ? [head, frame(DATA, END_STREAM, this.#stream, random.of(this.#bodies))] : [head]
  }

  #response(): readonly Buffer[] {
    const random = this.#random
    const body = random.of(this.#bodies)
    const block = this.#tells.encode([
      [':status', random.below(50) === 0 ? '500' : '200'],
      ['server', 'envoy'],
      ['date', 'Tue, 14 Nov 2023 22:13:20 GMT'],
      ['content-type', 'application/json; charset=utf-8'],
      ['content-length', String(body.length)],
      ['etag', `W/"${random.hex(12)}"`],
      ['x-envoy-upstream-service-time', String(random.below(90))],
    ])
    return [frame(HEADERS, END_HEADERS, this.#stream, block), frame(DATA, END_STREAM, this.#stream, body)]
  }
}

export const http2: Workload = {
  name: 'HTTP/2 with HPACK',
  word: 'http2',
  tshark: {
    filter: 'http2.headers.status',
    fields: ['tcp.stream', 'http2.streamid', 'http2.headers.status', 'http2.headers.content_length'],
  },
  suricata: 'http2',
  write(file, bytes) {
    const random = new Random(5)
    const bodies = Array.from({ length: 1000 }, () => Buffer.from(json(random, 200 + random.below(700))))
    const talks = Array.from({ length: CONNECTIONS }, (_, number) => new Http2Talk(file, number, bodies))
    interleave(file, bytes, talks, (talk) => talk.speak())
    for (const talk of talks) talk.close()
    return talks.reduce((sum, { calls }) => sum + calls, 0)
  },
}
