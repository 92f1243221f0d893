import type { Call, Message } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import type { Flow } from '@tapdeck/wire'
import { below, paths } from '../made-calls.ts'

/** Time between two calls, µs: 100 million calls are 28 hours. */
const CALL_EVERY_US = 1000
const HISTORY_START_US = 1_767_225_600_000_000
/** Connections that are open at a time, and the calls of each: new ones come as history grows. */
const OPEN = 5000
const CALLS_A_CONNECTION = 200
const SERVICES = 37

interface Connection {
  readonly flow: Flow & { last: number; closed?: 'fin' }
  readonly peers: Peers
  calls: number
}

/** Calls as a cluster makes them for a long time. Two of a hundred are errors; 37 services, 20,000 paths. */
export class HistoryCalls {
  readonly #body: Uint8Array
  readonly #connections: (Connection | undefined)[] = []
  #opened = 0
  /** Connections that ended since the last `takeEnded`. */
  #ended: [Flow, Peers][] = []

  constructor(bodyBytes: number) {
    this.#body = Buffer.from('{"id":123,"status":"shipped"},'.repeat(100).slice(0, bodyBytes))
  }

  make(n: number): [Call, Peers] {
    const start = HISTORY_START_US + n * CALL_EVERY_US
    const slot = below(OPEN)
    const connection = this.#connections[slot] ?? this.#open(start)
    this.#connections[slot] = connection
    const { flow, peers } = connection
    const end = start + 500 + Math.floor((below(1000) / 1000) ** 4 * 300_000)
    const path = paths[below(paths.length)]
    const status = below(50) === 0 ? 503 : 200
    const head = Buffer.from(
      `GET ${path} HTTP/1.1\r\nHost: svc.shop.svc\r\nX-Request-Id: ${below(1e9)}\r\n\r\n`,
      'latin1',
    )
    const answer = Buffer.from(
      `HTTP/1.1 ${status} OK\r\nContent-Type: application/json\r\nContent-Length: ${this.#body.length}\r\n\r\n`,
      'latin1',
    )
    const request: Message = { kind: 'request', head, start, end: start + 30, size: head.length }
    const response: Message = {
      kind: 'response',
      head: answer,
      body: this.#body,
      start: end - 100,
      end,
      size: answer.length + this.#body.length,
    }
    const summary = {
      method: 'GET',
      path,
      status,
      ...(status >= 500 && { failure: '503 Service Unavailable' }),
    }
    count(flow, 0, head.length)
    count(flow, 1, answer.length + this.#body.length)
    flow.last = end
    const ordinal = connection.calls++
    if (connection.calls === CALLS_A_CONNECTION) this.#end(slot, connection)
    return [{ flow, ordinal, protocol: 'http', side: 0, request, response, start, end, summary }, peers]
  }

  /** To be appended as flows, after their last calls. */
  takeEnded(): readonly [Flow, Peers][] {
    const ended = this.#ended
    this.#ended = []
    return ended
  }

  #end(slot: number, { flow, peers }: Connection): void {
    flow.closed = 'fin'
    this.#ended.push([flow, peers])
    delete this.#connections[slot]
  }

  #open(start: number): Connection {
    const i = this.#opened++
    const service = below(SERVICES)
    const client = below(40)
    const direction = () => ({ packets: 2, bytes: 120, goodput: 0, missing: 0 })
    const flow = {
      id: below(2 ** 22) * 2 ** 31 + below(2 ** 31),
      transport: 'tcp' as const,
      ends: [
        { ip: `10.0.${client}.7`, port: 32768 + (i % 28000) },
        { ip: `10.1.${service}.9`, port: 8080 },
      ] as [{ ip: string; port: number }, { ip: string; port: number }],
      midstream: false,
      start,
      last: start,
      directions: [direction(), direction()] as const,
      tcp: {
        handshake_us: 50 + below(3000),
        rtt_samples: 4,
        retransmissions: below(50) === 0 ? 1 : 0,
        fast_retransmissions: 0,
        duplicate_acks: 0,
        out_of_order: 0,
        overlap_conflicts: 0,
        zero_window: 0,
        window_full: 0,
        keep_alive: 0,
        resets: 0,
        fins: 0,
        completeness: 15,
      },
      state: undefined,
    }
    const node = `node-${i % 3}`
    const peers = {
      src: { ...flow.ends[0], pod: `web-${client}`, ns: 'shop', node },
      dst: { ...flow.ends[1], pod: `svc-${service}-0`, svc: `svc-${service}`, ns: 'shop', node },
    }
    return { flow, peers, calls: 0 }
  }
}

function count({ directions }: Flow, side: 0 | 1, size: number): void {
  directions[side].packets++
  directions[side].bytes += size + 54
  directions[side].goodput += size
}
