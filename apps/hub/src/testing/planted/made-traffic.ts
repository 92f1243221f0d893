import { Dissection, type Endpoint } from '@tapdeck/dissect'
import {
  type BuiltPacket,
  be16,
  be32,
  bytes,
  Conversation,
  concat,
  ETHERNET,
  FLAG,
  feed,
  udpFrame,
} from '@tapdeck/wire/testing'
import type { NamedCall } from '../index-worker.ts'

/** A pod of a service, or an address of which nothing is known. */
export type Place = Omit<Endpoint, 'port'>

export interface HttpAnswer {
  readonly method?: string
  readonly path?: string
  readonly status?: number
  /** Milliseconds. */
  readonly latency?: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface SqlAnswer {
  readonly statement: string
  readonly latency?: number
  /** Code and message of an error; absent: it succeeds. */
  readonly error?: readonly [code: string, message: string]
}

const PORTS = { http: 8080, sql: 5432, dns: 53 } as const

/** Packets of a small cluster, made call by call. The same seed makes the same packets. */
export class MadeTraffic {
  /** Unix milliseconds of the first packet. */
  readonly start: number
  readonly #net: number
  readonly #places = new Map<string, Place>()
  readonly #talks: BuiltPacket[] = []
  #state: number
  #addresses = 1
  #ports = 10_000

  /** `net` is the second byte of all addresses. */
  constructor(start: number, net: number) {
    this.start = start
    this.#net = net
    this.#state = net * 2_654_435_761 + 1
  }

  /** Between 0 and 1 (xorshift). */
  random(): number {
    let x = this.#state | 1
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return (x >>> 0) / 2 ** 32
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least)
  }

  oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T
  }

  pod(svc: string, pod = `${svc}-0`, node = 'node-a', ns = 'shop'): Place {
    return this.#named({ svc, pod, node, ns })
  }

  /** An address without a name. */
  outside(): Place {
    return this.#named({})
  }

  http(at: number, from: Place, to: Place, answer: HttpAnswer = {}): void {
    const { method = 'GET', path = '/', status = 200, latency = 5, body = '{}', headers = {} } = answer
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const length = bytes(body).length
    this.#exchange(at, from, to, PORTS.http, latency, [
      `${method} ${path} HTTP/1.1\r\nHost: ${to.svc ?? to.ip}\r\nContent-Length: 0\r\n\r\n`,
      `HTTP/1.1 ${status} Reason\r\n${lines.join('')}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    ])
  }

  sql(at: number, from: Place, to: Place, { statement, latency = 3, error }: SqlAnswer): void {
    const outcome = error
      ? message('E', `SERROR\0VERROR\0C${error[0]}\0M${error[1]}\0\0`)
      : message('C', 'UPDATE 1\0')
    const login = bytes('user\0app\0database\0shop\0\0')
    const talk = this.#talk(at, from, to, PORTS.sql)
      .handshake()
      .send(0, concat(be32(login.length + 8), be32(196_608), login))
      .send(1, concat(message('R', be32(0)), message('Z', 'I')))
      .send(0, message('Q', `${statement}\0`))
      .wait(latency * 1000)
      .send(1, concat(outcome, message('Z', 'I')))
    this.#talks.push(...talk.close().packets)
  }

  /** No process listens on the port. */
  refused(at: number, from: Place, to: Place): void {
    const talk = this.#talk(at, from, to, PORTS.http).segment(0, FLAG.syn)
    this.#talks.push(...talk.segment(1, FLAG.rst | FLAG.ack).packets)
  }

  lookup(at: number, from: Place, to: Place, name: string, exists: boolean): void {
    const sport = this.#ports++
    const id = be16(sport)
    const labels = name.split('.').map((label) => concat(Uint8Array.of(label.length), bytes(label)))
    const question = concat(...labels, Uint8Array.of(0, 0, 1, 0, 1))
    const counts = (answers: number) => concat(be16(1), be16(answers), be16(0), be16(0))
    const found = concat(Uint8Array.of(0xc0, 12, 0, 1, 0, 1), be32(30), be16(4), Uint8Array.of(10, 1, 2, 3))
    const ends = { src: from.ip, dst: to.ip, sport, dport: PORTS.dns }
    const time = (this.start + at) * 1000
    this.#talks.push(
      { data: udpFrame({ ...ends, payload: concat(id, be16(0x0100), counts(0), question) }), time },
      {
        data: udpFrame({
          src: to.ip,
          dst: from.ip,
          sport: PORTS.dns,
          dport: sport,
          payload: exists
            ? concat(id, be16(0x8180), counts(1), question, found)
            : concat(id, be16(0x8183), counts(0), question),
        }),
        time: time + 400,
      },
    )
  }

  /** The calls that a worker sees, with the names of both ends. */
  calls(): NamedCall[] {
    const seen: NamedCall[] = []
    const dissection = new Dissection({
      emit: (call) => {
        const [src, dst] = call.flow.ends.map((end) => ({ ...end, ...this.#places.get(end.ip) }))
        if (src && dst) seen.push({ call, src, dst })
      },
    })
    feed(
      dissection,
      this.#talks.toSorted((a, b) => a.time - b.time),
      ETHERNET,
    )
    dissection.end()
    return seen
  }

  #exchange(
    at: number,
    from: Place,
    to: Place,
    port: number,
    latency: number,
    [asked, answered]: readonly [string, string],
  ): void {
    const talk = this.#talk(at, from, to, port).handshake().send(0, asked)
    this.#talks.push(
      ...talk
        .wait(latency * 1000)
        .send(1, answered)
        .close().packets,
    )
  }

  #talk(at: number, from: Place, to: Place, serverPort: number): Conversation {
    return new Conversation({
      client: from.ip,
      server: to.ip,
      clientPort: this.#ports++,
      serverPort,
      start: Math.round((this.start + at) * 1000),
      step: 10,
    })
  }

  #named(names: Omit<Place, 'ip'>): Place {
    const number = this.#addresses++
    const place = { ip: `10.${this.#net}.${number >> 8}.${number & 255}`, ...names }
    this.#places.set(place.ip, place)
    return place
  }
}

/** A message of PostgreSQL with its type. */
function message(type: string, part: Uint8Array | string): Uint8Array {
  return concat(bytes(type), be32(bytes(part).length + 4), bytes(part))
}
