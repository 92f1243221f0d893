import type { Call, Message } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import type { Flow } from '@tapdeck/wire'

/*
 * Calls of a made-up shop, each with both heads and a body of 1 KB, the same in each run: 5,000 connections of 37 services,
 * 20,000 paths, two of a hundred answers are errors. They are 7 µs apart.
 */
let state = 1
const random = () => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
  return state / 0x7fffffff
}
export const below = (n: number) => Math.floor(random() * n)

const words =
  'order customer price quantity shipping address payment status pending user session item region'.split(' ')
const encoder = new TextEncoder()

function body(): Uint8Array {
  let text = '['
  while (text.length < 1023)
    text += `{"id":${below(1e6)},"${words[below(13)]}":"${words[below(13)]} ${words[below(13)]}","v":${below(1e6) / 100}},`
  return encoder.encode(text.slice(0, 1023).concat(']'))
}

const bodies = Array.from({ length: 2000 }, body)
export const paths = Array.from({ length: 20_000 }, (_, i) => `/api/v1/${words[i % 13]}s/${below(1e6)}/items`)
const flows = Array.from({ length: 5000 }, (_, i): Flow => {
  const half = () => ({ packets: 10, bytes: 9000, goodput: 8000, missing: 0 })
  return {
    id: below(2 ** 22) * 2 ** 31 + below(2 ** 31),
    transport: 'tcp',
    ends: [
      { ip: `10.0.${i % 40}.7`, port: 32768 + (i % 28000) },
      { ip: `10.1.${i % 37}.9`, port: 8080 },
    ],
    midstream: false,
    start: 1_767_225_600_000_000,
    last: 1_767_225_600_000_000,
    directions: [half(), half()],
    tcp: {
      handshake_us: 50 + below(3000),
      rtt_samples: 4,
      retransmissions: i % 50 === 0 ? 1 : 0,
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
})
const peers = flows.map(
  (flow, i): Peers => ({
    src: { ...flow.ends[0], pod: `web-${i % 40}`, ns: 'shop', node: `node-${i % 3}` },
    dst: { ...flow.ends[1], pod: `svc-${i % 37}-0`, svc: `svc-${i % 37}`, ns: 'shop', node: `node-${i % 3}` },
  }),
)
const ordinals = new Uint32Array(flows.length)

export function makeCall(n: number): [Call, Peers] {
  const f = below(flows.length)
  const start = 1_767_225_600_000_000 + n * 7
  const latency = 500 + Math.floor(random() ** 4 * 300_000)
  const path = paths[below(paths.length)]
  const status = random() < 0.02 ? 503 : 200
  const head = encoder.encode(
    `GET ${path} HTTP/1.1\r\nHost: svc.shop.svc\r\nUser-Agent: bench/1.0\r\nAccept: */*\r\nX-Request-Id: ${below(1e9)}\r\n\r\n`,
  )
  const request: Message = { kind: 'request', head, start, end: start + 30, size: head.length }
  const answer = encoder.encode(
    `HTTP/1.1 ${status} OK\r\nContent-Type: application/json\r\nContent-Length: 1024\r\nConnection: keep-alive\r\n\r\n`,
  )
  const response: Message = {
    kind: 'response',
    head: answer,
    body: bodies[below(bodies.length)],
    start: start + latency - 100,
    end: start + latency,
    size: answer.length + 1024,
  }
  const summary = {
    method: 'GET',
    path,
    status,
    ...(status >= 500 && { failure: '503 Service Unavailable' }),
  }
  const call = {
    flow: flows[f],
    ordinal: ordinals[f]++,
    protocol: 'http',
    side: 0 as const,
    request,
    response,
    start,
    end: start + latency,
    summary,
  }
  return [call, peers[f]]
}
