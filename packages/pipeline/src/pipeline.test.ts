import { type Call, Dissection, type Peers } from '@tapdeck/dissect'
import { Connections } from '@tapdeck/wire'
import {
  type BuiltPacket,
  Conversation,
  type ConversationOptions,
  FLAG,
  feed,
  udpFrame,
} from '@tapdeck/wire/testing'
import { describe, expect, test } from 'vitest'
import { Pipeline, type PipelineOptions } from './pipeline.ts'

const POD = '10.244.1.5'
const CLUSTER_IP = '10.96.0.20'
const BACKEND = '10.244.2.7'
const NODE = '192.168.1.1'

const names: Readonly<Record<string, object>> = {
  [POD]: { pod: 'web-1', ns: 'shop', node: 'n1' },
  [CLUSTER_IP]: { svc: 'orders', ns: 'shop' },
  [BACKEND]: { pod: 'orders-1', ns: 'shop', node: 'n2', svc: 'all-orders' },
  [NODE]: { node: 'n1' },
}

/** One view of a connection with these requests. `late`: microseconds that its packets pass later on their way out. */
function view(
  options: ConversationOptions,
  late: number,
  requests = ['/a'],
  handshake = true,
): BuiltPacket[] {
  const isns = { clientIsn: 0x11223344, serverIsn: 0x55667788 }
  const talk = new Conversation({ ...isns, step: 1000, ...options })
  if (handshake) talk.handshake()
  for (const path of requests)
    talk
      .send(0, `GET ${path} HTTP/1.1\r\nHost: orders\r\n\r\n`)
      .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  return talk.close().packets.map((packet) => {
    // Requests leave the client first, and responses leave the server first.
    const fromClient =
      new DataView(packet.data.buffer, packet.data.byteOffset).getUint16(34) ===
      (options.clientPort ?? 40_000)
    return { ...packet, time: packet.time + (fromClient ? late : -late) }
  })
}

/** Packets that come in order of time give the same as packets of which that is not known. */
function run(packets: readonly BuiltPacket[], more: Partial<PipelineOptions> = {}) {
  const [given, ordered] = [runOnce(packets, more), runOnce(packets, { ...more, ordered: true })]
  const told = ({ calls, flows }: ReturnType<typeof runOnce>) => [calls.map(({ peers }) => peers), flows]
  expect(told(ordered)).toEqual(told(given))
  return given
}

function runOnce(packets: readonly BuiltPacket[], more: Partial<PipelineOptions>) {
  const calls: { call: Call; peers: Peers | undefined }[] = []
  const flows: Peers[] = []
  const pipeline = new Pipeline(
    {
      names: { resolver: () => ({ version: 1, behind: (ip) => ({ at: () => names[ip] ?? {} }) }) },
      ...more,
    },
    {
      call: (call) => calls.push({ call, peers: pipeline.name(call) }),
      flow: (flow, name) => flows.push(name(flow)),
    },
  )
  const dissection = new Dissection(pipeline.handlers)
  feed(
    dissection,
    packets.toSorted((a, b) => a.time - b.time),
  )
  dissection.end()
  return { calls, flows, duplicates: pipeline.duplicates }
}

const before = { client: POD, server: CLUSTER_IP, clientPort: 40_000, serverPort: 80 }
const after = { client: POD, server: BACKEND, clientPort: 40_000, serverPort: 8080 }
const masqueraded = { client: NODE, server: BACKEND, clientPort: 61_234, serverPort: 8080 }

test('before and after the address of a service is translated, an exchange is one call between the real ends', () => {
  const { calls, flows, duplicates } = run([
    ...view(before, 0, ['/a', '/b']),
    ...view(after, 20, ['/a', '/b']),
  ])
  expect(calls.map(({ call }) => call.summary.path)).toEqual(['/a', '/b'])
  for (const { peers } of calls)
    expect(peers).toEqual({
      src: { ip: POD, port: 40_000, pod: 'web-1', ns: 'shop', node: 'n1' },
      dst: { ip: BACKEND, port: 8080, pod: 'orders-1', ns: 'shop', node: 'n2', svc: 'orders' },
    })
  expect(flows.map(({ dst }) => dst.ip)).toEqual([BACKEND])
  expect(duplicates).toBe(2)
})

test('where the client is masqueraded too, the names are those of the real client', () => {
  const { calls, flows } = run([...view(before, 0), ...view(masqueraded, 20)])
  expect(calls.map(({ peers }) => peers)).toEqual([
    {
      src: { ip: NODE, port: 61_234, pod: 'web-1', ns: 'shop', node: 'n1' },
      dst: { ip: BACKEND, port: 8080, pod: 'orders-1', ns: 'shop', node: 'n2', svc: 'orders' },
    },
  ])
  expect(flows).toHaveLength(1)
})

test('a connection that is older than the capture is recognised by the end that is not translated', () => {
  const { calls } = run([...view(before, 0, ['/a', '/b'], false), ...view(after, 20, ['/a', '/b'], false)])
  expect(calls.map(({ call }) => call.summary.path)).toEqual(['/a', '/b'])
})

test('equal requests in several connections, and again in one, are calls of their own', () => {
  const isns = { clientIsn: 7_000_001, serverIsn: 9_000_001 }
  const { calls, flows } = run([
    ...view(before, 0, ['/a', '/a', '/a']),
    ...view(after, 20, ['/a', '/a', '/a']),
    ...view({ ...after, ...isns, clientPort: 40_001 }, 20, ['/a']),
  ])
  expect(calls).toHaveLength(4)
  expect(flows).toHaveLength(2)
})

test('equal requests of two clients to one server stay two calls, also in connections that are older than the capture', () => {
  const other = { ...after, clientPort: 40_001 }
  const { calls } = run([...view(after, 0, ['/a'], false), ...view(other, 20, ['/a'], false)])
  expect(calls).toHaveLength(2)
})

test('the same request many times on one connection is as many calls', () => {
  const requests = Array.from({ length: 3000 }, () => '/a')
  const fast = { step: 1 }
  const { calls } = run([
    ...view({ ...before, ...fast }, 0, requests),
    ...view({ ...after, ...fast }, 0, requests),
  ])
  expect(calls).toHaveLength(requests.length)
})

test('a call that one view has missed is taken from the other', () => {
  const full = view(before, 0, ['/a', '/b'])
  const [lost] = view(after, 20, ['/a', '/b']).flatMap((packet, at) =>
    new TextDecoder().decode(packet.data).includes('GET /b') ? [at] : [],
  )
  const partial = view(after, 20, ['/a', '/b']).filter((_, at) => at !== lost)
  const { calls } = run([...full, ...partial])
  expect(calls.filter(({ call }) => call.summary.path === '/b')).toHaveLength(1)
})

test('a lookup through the address of a service is one call', () => {
  const query = new Uint8Array([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1])
  const answer = Uint8Array.from([...query.slice(0, 2), 0x81, 0x80, ...query.slice(4)])
  const start = 1_700_000_000_000_000
  const ask = (dst: string, time: number) => ({
    data: udpFrame({ src: POD, dst, sport: 50_353, dport: 53, payload: query }),
    time: start + time,
  })
  const reply = (src: string, time: number) => ({
    data: udpFrame({ src, dst: POD, sport: 53, dport: 50_353, payload: answer }),
    time: start + time,
  })
  const { calls, flows } = run([
    ask(CLUSTER_IP, 0),
    ask(BACKEND, 20),
    reply(BACKEND, 500),
    reply(CLUSTER_IP, 520),
  ])
  expect(calls.map(({ peers }) => peers?.dst.pod)).toEqual(['orders-1'])
  expect(flows).toHaveLength(1)
})

test('a lookup that is captured inside and outside of a tunnel is one call, and one that is sent again is another', () => {
  const query = new Uint8Array([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1])
  const answer = Uint8Array.from([...query.slice(0, 2), 0x81, 0x80, ...query.slice(4)])
  const ends = { src: POD, dst: BACKEND, sport: 50_353, dport: 53 }
  const back = { src: BACKEND, dst: POD, sport: 53, dport: 50_353 }
  const exchange = (at: number) =>
    [0, 30].flatMap((late) => [
      { data: udpFrame({ ...ends, payload: query }), time: 1_700_000_000_000_000 + at + late },
      { data: udpFrame({ ...back, payload: answer }), time: 1_700_000_000_000_500 + at + late },
    ])
  const once = run(exchange(0))
  expect(once.calls).toHaveLength(1)
  expect(once.flows).toHaveLength(1)
  expect(run([...exchange(0), ...exchange(5_000_000)]).calls).toHaveLength(2)
})

test('redaction comes before names are used, and the filter decides by names', () => {
  const redactor = {
    call: (call: Call): Call => ({ ...call, summary: { ...call.summary, path: '/redacted' } }),
  }
  const { calls } = run(view(after, 0), {
    redaction: redactor,
    filter: (call, { dst }) => call.summary.path === '/redacted' && dst.pod === 'orders-1',
  })
  expect(calls[0]?.call.summary.path).toBe('/redacted')
  expect(calls[0]?.peers).toBeDefined()
  const dropped = run(view(after, 0), { filter: (_call, { dst }) => dst.pod === 'other' })
  expect(dropped.calls[0]?.peers).toBeUndefined()
})

describe('a call that is emitted when its connection ends is one call between the real ends, in one flow', () => {
  type End = (talk: Conversation) => Conversation
  const ends: readonly (readonly [string, End, string | undefined])[] = [
    ['unanswered, closed by the client', (talk) => talk.close(), 'no_response'],
    ['unanswered, reset by the server', (talk) => talk.reset(1), 'no_response'],
    ['still open at the end of the capture', (talk) => talk, 'unfinished'],
    [
      'answered until the connection ends',
      (talk) => talk.send(1, 'HTTP/1.1 200 OK\r\n\r\nall of it').close(1),
      undefined,
    ],
  ]
  /** The views of a connection: the packets of each pass `late` microseconds later. */
  const viewsOf = (views: readonly ConversationOptions[], end: End) =>
    views.flatMap((options, late) =>
      end(
        new Conversation({ clientIsn: 77, serverIsn: 99, step: 1000, ...options })
          .handshake()
          .send(0, 'GET /a HTTP/1.1\r\nHost: orders\r\n\r\n'),
      ).packets.map(({ data, time }) => ({ data, time: time + late * 20 })),
    )

  test.each(ends)('%s', (_name, end, missing) => {
    for (const views of [
      [before, after],
      [before, masqueraded],
    ]) {
      const { calls, flows } = run(viewsOf(views, end))
      expect(
        calls.map(({ call, peers }) => [call.missing, peers?.src.pod, peers?.dst.pod, peers?.dst.svc]),
      ).toEqual([[missing, 'web-1', 'orders-1', 'orders']])
      expect(flows.map(({ src, dst }) => [src.pod, dst.pod])).toEqual([['web-1', 'orders-1']])
    }
  })

  test('a connection that is refused', () => {
    const refused = (options: ConversationOptions, late: number) =>
      new Conversation({ clientIsn: 77, step: 1000, ...options })
        .segment(0, FLAG.syn)
        .reset(1)
        .packets.map(({ data, time }) => ({ data, time: time + late }))
    const { calls, flows } = run([...refused(before, 0), ...refused(after, 20)])
    expect(calls.map(({ peers }) => [peers?.src.pod, peers?.dst.pod, peers?.dst.svc])).toEqual([
      ['web-1', 'orders-1', 'orders'],
    ])
    expect(flows).toHaveLength(1)
  })
})

test('a connection that is over is forgotten', () => {
  const packets = Array.from({ length: 50 }, (_, number) => {
    const start = 1_700_000_000_000_000 + number * 1_000_000
    const isns = { clientIsn: 0x10203040 + number * 977, serverIsn: 0x50607080 + number * 733, start }
    return view({ ...after, ...isns, clientPort: 40_000 + number }, 0)
  }).flat()
  const connections = new Connections()
  let most = 0
  const dissection = new Dissection({
    opened: (flow) => connections.opened(flow),
    emit: (call) => {
      most = Math.max(most, connections.of(call.flow)?.views.length ?? 0)
    },
    flow: (flow) => connections.closed(flow),
  })
  feed(dissection, packets)
  dissection.end()
  expect(most).toBe(1)
  expect(connections.size).toBe(0)
})
