import {
  type BuiltPacket,
  Conversation,
  type ConversationOptions,
  encapsulate,
  FLAG,
  TUNNELS,
  udpFrame,
} from '@tapdeck/wire/testing'

/** Addresses of a small cluster, and the names that they have. */
const POD = '10.244.1.5'
const SERVICE = '10.96.0.20'
const BACKEND = '10.244.2.7'
const [POD_V6, BACKEND_V6] = ['fd00:244:1::5', 'fd00:244:2::7']
const NODE = '192.168.1.1'
const OTHER_NODE = '192.168.1.2'

const START = 1_700_000_000_000_000
/** When the address of a pod goes to the next one, Unix milliseconds. */
const NEXT_POD_AT = START / 1000 + 60_000

export const madeInventory = {
  pods: [
    { name: 'web-1', namespace: 'shop', ips: [POD, POD_V6], node: 'n1', until: NEXT_POD_AT },
    { name: 'web-2', namespace: 'shop', ips: [POD], node: 'n1', from: NEXT_POD_AT },
    { name: 'orders-1', namespace: 'shop', ips: [BACKEND, BACKEND_V6], node: 'n2' },
  ],
  services: [
    {
      name: 'orders',
      namespace: 'shop',
      ips: [SERVICE],
      endpoints: [{ ip: BACKEND }, { ip: BACKEND_V6 }],
    },
  ],
  nodes: [
    { name: 'n1', ips: [NODE] },
    { name: 'n2', ips: [OTHER_NODE] },
  ],
}

/** A capture that has the same exchange several times, and what there was. */
export interface MadeCapture {
  readonly name: string
  readonly packets: readonly BuiltPacket[]
  /** The calls: path or name, status, the reason why there is none or what became of the response, source pod, destination pod, service. */
  readonly calls: readonly (readonly [string, number | string, string, string, string])[]
  readonly flows: number
  readonly retransmissions: number
  /** Packets that are found to be captured before (`duplicate_captures`), and calls that are found to be views of others. */
  readonly duplicates?: { readonly packets: number; readonly calls: number }
}

/** Packets pass the next device or node this many microseconds later. */
const LATE = 20

const before: ConversationOptions = { client: POD, server: SERVICE, clientPort: 40_000, serverPort: 80 }
const after: ConversationOptions = { client: POD, server: BACKEND, clientPort: 40_000, serverPort: 8080 }
/** The client's address is that of its node, and its port is below that of the server. */
const masqueraded: ConversationOptions = { client: NODE, server: BACKEND, clientPort: 6123, serverPort: 8080 }

type Talk = (conversation: Conversation) => Conversation

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: orders\r\n\r\n`
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** What was said, the status or the reason why there is none (undefined: there is no call), and retransmissions. */
const endings: Readonly<Record<string, readonly [Talk, number | string | undefined, number]>> = {
  'without a request': [(talk) => talk.close(), undefined, 0],
  answered: [(talk) => talk.send(0, get('/a')).send(1, OK).close(), 200, 0],
  'unanswered and closed': [(talk) => talk.send(0, get('/a')).close(), 'no_response', 0],
  'unanswered and reset': [(talk) => talk.send(0, get('/a')).reset(1), 'no_response', 0],
  'unanswered at the end of the capture': [(talk) => talk.send(0, get('/a')), 'unfinished', 0],
  'answered until it closes': [
    (talk) => talk.send(0, get('/a')).send(1, 'HTTP/1.1 200 OK\r\n\r\nall of it').close(1),
    200,
    0,
  ],
  'answered, and the response never acknowledged': [
    (talk) => {
      talk.send(0, get('/a')).segment(1, FLAG.ack, OK)
      for (let again = 0; again < 3; again++) talk.wait(250_000).segment(1, FLAG.ack, OK, ISNS.serverIsn + 1)
      return talk
    },
    'unacknowledged',
    3,
  ],
  'sent twice': [
    (talk) => {
      talk.segment(0, FLAG.ack, get('/a')).wait(250_000)
      talk.segment(0, FLAG.ack, get('/a'), ISNS.clientIsn + 1)
      return talk.segment(1, FLAG.ack).send(1, OK).close()
    },
    200,
    1,
  ],
}

const ISNS = { clientIsn: 0x11223344, serverIsn: 0x55667788 }

/** The packets of one view of a connection. */
function view(options: ConversationOptions, talk: Talk, number = 0, hasIds = true): BuiltPacket[] {
  const isns = {
    clientIsn: ISNS.clientIsn + number * 0x1_0001,
    serverIsn: ISNS.serverIsn + number * 0x2_0001,
  }
  const conversation = new Conversation({
    ...(hasIds && { firstId: 100 }),
    ...{ step: 1000, start: START, ...isns, ...options },
  })
  return talk(conversation.handshake()).packets
}

/** Views of the same packets, each of which has them later than the one before. */
function merged(...views: readonly (readonly BuiltPacket[])[]): BuiltPacket[] {
  return mergedLate(LATE, ...views)
}

function mergedLate(late: number, ...views: readonly (readonly BuiltPacket[])[]): BuiltPacket[] {
  return views
    .flatMap((packets, place) => packets.map((packet) => ({ ...packet, time: packet.time + place * late })))
    .sort((a, b) => a.time - b.time)
}

const through = (packets: readonly BuiltPacket[], kind: (typeof TUNNELS)[number]): BuiltPacket[] =>
  packets.map((packet) => {
    const source = packet.data.subarray(26, 30).join('.')
    const [from, to] = source === BACKEND ? [OTHER_NODE, NODE] : [NODE, OTHER_NODE]
    return { ...packet, data: encapsulate(packet.data, kind, from, to) }
  })

function callsOf(status: number | string | undefined): MadeCapture['calls'] {
  return status === undefined ? [] : [['/a', status, 'web-1', 'orders-1', 'orders']]
}

function ofConnections(): MadeCapture[] {
  return Object.entries(endings).flatMap(([ending, [talk, status, retransmissions]]) => {
    const captures: readonly (readonly [string, readonly BuiltPacket[]])[] = [
      ['a Service', merged(view(before, talk), view(after, talk))],
      ['a Service with a masqueraded client', merged(view(before, talk), view(masqueraded, talk))],
      ['a bridge and its port', merged(view(after, talk), view(after, talk))],
      ...TUNNELS.map((kind) => {
        const inner = view(after, talk)
        return [`a ${kind} tunnel`, merged(inner, through(inner, kind))] as const
      }),
      [
        'a vxlan tunnel, of senders without identifications',
        merged(view(after, talk, 0, false), through(view(after, talk, 0, false), 'vxlan')),
      ],
      [
        'a Service and a vxlan tunnel, with the taps of both nodes',
        merged(view(before, talk), view(after, talk), through(view(after, talk), 'vxlan'), view(after, talk)),
      ],
    ]
    return captures.map(([path, packets]) => ({
      name: `${path}: ${ending}`,
      packets,
      calls: callsOf(status),
      flows: 1,
      retransmissions,
    }))
  })
}

const QUESTION = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1]
/** Where in it the last byte of its number and of its type are. */
const [NUMBER_AT, TYPE_AT] = [1, 16]

interface LookupEnds {
  readonly client?: string
  readonly server?: string
  /** Identification of the first packet of each end; default: all are 0, as those of senders that are not connected. */
  readonly firstId?: number
  /** The answer comes so many microseconds after its question. */
  readonly answered?: number
}

/** The two lookups of a resolver: it sends both questions (A, AAAA) at once, from one port. */
function lookups({ client = POD, server = BACKEND, firstId, answered = 300 }: LookupEnds): BuiltPacket[] {
  const ends = { src: client, dst: server, sport: 50_353, dport: 53 }
  const back = { src: server, dst: client, sport: 53, dport: 50_353 }
  return [1, 28].flatMap((type, number) => {
    const id = firstId === undefined ? 0 : firstId + number
    const question = Uint8Array.from(QUESTION)
    question[NUMBER_AT] = number
    question[TYPE_AT] = type
    const answer = Uint8Array.from([...question.slice(0, 2), 0x81, 0x80, ...question.slice(4)])
    const time = START + number * 10
    return [
      { data: udpFrame({ ...ends, payload: question, id }), time },
      { data: udpFrame({ ...back, payload: answer, id }), time: time + answered },
    ]
  })
}

/** Behind a Service: an answer passes before its address is translated back. */
const SERVED: LookupEnds = { answered: 300 - 3 * LATE }

/** A mirror port gives its copies after the answers. */
const MIRRORED_LATE = 500

function ofLookups(): MadeCapture[] {
  const counted = lookups({ firstId: 100 })
  const uncounted = lookups({})
  const overV6 = lookups({ client: POD_V6, server: BACKEND_V6 })
  const all = counted.length
  // Without an identification, equal packets may be two: then their exchanges are compared.
  const captures: readonly (readonly [string, readonly BuiltPacket[], number, number])[] = [
    ['a bridge and its port', merged(counted, counted), all, 0],
    ['a bridge, its port and a mirror port', merged(counted, counted, counted), 2 * all, 0],
    ['a mirror port', mergedLate(MIRRORED_LATE, counted, counted), all, 0],
    ['a bridge and its port, of senders without identifications', merged(uncounted, uncounted), 0, 2],
    [
      'a mirror port, of senders without identifications',
      mergedLate(MIRRORED_LATE, uncounted, uncounted),
      0,
      2,
    ],
    ['a bridge and its port, over IPv6', merged(overV6, overV6), 0, 2],
    ['a mirror port, over IPv6', mergedLate(MIRRORED_LATE, overV6, overV6), 0, 2],
    [
      'a Service',
      merged(lookups({ server: SERVICE, firstId: 100 }), lookups({ ...SERVED, firstId: 100 })),
      0,
      2,
    ],
    ...TUNNELS.flatMap((kind) => [
      [`a ${kind} tunnel`, merged(counted, through(counted, kind)), all, 0] as const,
      [
        `a ${kind} tunnel, of senders without identifications`,
        merged(uncounted, through(uncounted, kind)),
        all,
        0,
      ] as const,
      [
        `a bridge, its port and a ${kind} tunnel`,
        merged(counted, counted, through(counted, kind)),
        2 * all,
        0,
      ] as const,
    ]),
  ]
  return captures.map(([path, packets, copies, views]) => ({
    name: `${path}: two lookups from one port`,
    packets,
    calls: lookupCalls,
    flows: 1,
    retransmissions: 0,
    duplicates: { packets: copies, calls: views },
  }))
}

const lookupCalls: MadeCapture['calls'] = [1, 2].map(
  () => ['a', 'NOERROR', 'web-1', 'orders-1', 'orders'] as const,
)

/** Many connections at once, through a Service and masqueraded by turns: threads share them. */
function many(): MadeCapture {
  const count = 40
  const packets = Array.from({ length: count }, (_, number) => {
    const start = START + number * 2500
    const talk: Talk = (one) =>
      one
        .send(0, get(`/${number}`))
        .send(1, OK)
        .close()
    const last =
      number % 2 === 0
        ? { ...after, clientPort: 40_000 + number }
        : { ...masqueraded, clientPort: 6123 + number }
    return merged(
      view({ ...before, clientPort: 40_000 + number, start }, talk, number),
      view({ ...last, start }, talk, number),
    )
  }).flat()
  return {
    name: 'forty connections through a Service',
    packets: packets.sort((a, b) => a.time - b.time),
    calls: Array.from(
      { length: count },
      (_, number) => [`/${number}`, 200, 'web-1', 'orders-1', 'orders'] as const,
    ),
    flows: count,
    retransmissions: 0,
  }
}

/** Pods that live for seconds: the next one gets the address, and its client even the port, of the one before. */
function shortPods(): MadeCapture {
  const begins = [NEXT_POD_AT - 2000, NEXT_POD_AT + 1000].map((ms) => ms * 1000)
  const talk: Talk = (one) => one.send(0, get('/a')).send(1, OK).close()
  return {
    name: 'two pods with one address, one after the other',
    packets: begins.flatMap((start, number) =>
      merged(view({ ...before, start }, talk, number), view({ ...after, start }, talk, number)),
    ),
    calls: ['web-1', 'web-2'].map((pod) => ['/a', 200, pod, 'orders-1', 'orders'] as const),
    flows: 2,
    retransmissions: 0,
  }
}

/** What each of two nodes captures of one exchange: the client's has it before and after translation, both have the tunnel. */
export interface TwoNodeCapture extends Pick<MadeCapture, 'name' | 'calls'> {
  readonly nodes: Readonly<Record<'n1' | 'n2', readonly BuiltPacket[]>>
}

/** What each node has of packets before and after translation. */
function onTwoNodes(asked: readonly BuiltPacket[], served: readonly BuiltPacket[]): TwoNodeCapture['nodes'] {
  const inTunnel = through(served, 'vxlan')
  return { n1: merged(asked, served, inTunnel), n2: merged(inTunnel, served) }
}

export const twoNodeCaptures: readonly TwoNodeCapture[] = [
  ...Object.entries(endings).map(([ending, [talk, status]]) => ({
    name: ending,
    nodes: onTwoNodes(view(before, talk), view(after, talk)),
    calls: callsOf(status),
  })),
  {
    name: 'two lookups from one port',
    nodes: onTwoNodes(lookups({ server: SERVICE }), lookups(SERVED)),
    calls: lookupCalls,
  },
]

/** Captures with translation, tunnels, resets, silence and taps of two nodes. */
export const madeCaptures: readonly MadeCapture[] = [...ofConnections(), ...ofLookups(), shortPods(), many()]
