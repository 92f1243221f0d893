import { readdirSync, readFileSync, statSync } from 'node:fs'
import {
  addressAnswers,
  type Call,
  type CallRecord,
  Dissection,
  type Endpoint,
  toCallRecord,
} from '@tapdeck/dissect'
import { CaptureReader, type Flow, type Side } from '@tapdeck/wire'
import { Conversation, ETHERNET, FLAG, feed, udpFrame } from '@tapdeck/wire/testing'
import type { CallIndex, Peers } from '../call-index.ts'
import { sampleCall, samplePeers } from './sample-call.ts'
import { DAWN, sampleFlow } from './sample-flow.ts'

const protocols = new URL('../../../dissect/src/protocols/', import.meta.url)

/** The larger ones have more of the same. */
const LARGEST = 50_000

/** Traffic of every protocol, out of the protocols' own captures and some made by hand, appended with names. */
export async function appendKnownTraffic(index: CallIndex, node: string): Promise<readonly CallRecord[]> {
  const records: CallRecord[] = []
  const names = new Map<string, string>()
  const emit = (call: Call) => {
    const told = addressAnswers(call)
    for (const { ip } of told?.addresses ?? []) names.set(ip, told!.name)
    const peers = peersOf(call.flow, call.side, names)
    index.append(call, peers)
    records.push(toCallRecord(call, peers, node, 'af_packet', { node_ip: '10.9.9.9', has_pcap: true }))
  }
  const flow = (over: Flow) => index.appendFlow(over, peersOf(over, 0, names))
  for (const file of captures()) {
    const dissection = new Dissection({ emit, flow })
    const reader = new CaptureReader(dissection, {})
    reader.push(new Uint8Array(readFileSync(file)))
    reader.end()
    dissection.end()
  }
  const dissection = new Dissection({ emit, flow })
  feed(dissection, byHand(), ETHERNET)
  dissection.end()
  appendAssociation(index, records, node)
  await index.flush()
  return records
}

function captures(): readonly URL[] {
  return readdirSync(protocols, { recursive: true })
    .map(String)
    .filter((name) => /captures\/[^/]+\.pcap$/.test(name))
    .sort()
    .map((name) => new URL(name, protocols))
    .filter((file) => statSync(file).size < LARGEST)
}

function peersOf(flow: Flow, side: Side, names: ReadonlyMap<string, string>): Peers {
  return { src: named(flow, side, names), dst: named(flow, side === 0 ? 1 : 0, names) }
}

function named(flow: Flow, side: Side, names: ReadonlyMap<string, string>): Endpoint {
  const { ip, port } = flow.ends[side]
  const dns = names.get(ip)
  return {
    ip,
    port,
    pod: side === 0 ? 'front-1' : 'back-1',
    ns: side === 0 ? 'web' : 'shop',
    svc: side === 0 ? 'front' : 'back',
    node: side === 0 ? 'node-1' : 'node-2',
    process: side === 0 ? 'curl' : 'nginx',
    labels: { app: side === 0 ? 'front' : 'back' },
    annotations: { owner: side === 0 ? 'team-a' : 'team-b' },
    ...(dns !== undefined && { dns }),
  }
}

/** What the captures do not hold: MongoDB, a name that is used after it was asked for, and flows of unknown protocols. */
function byHand() {
  const start = DAWN
  const refused = new Conversation({ clientPort: 41_001, start })
    .segment(0, FLAG.syn)
    .segment(1, FLAG.rst | FLAG.ack)
  const unknown = new Conversation({ clientPort: 41_002, serverPort: 7777, start })
    .handshake()
    .send(0, 'what language is this\u0001\u0002')
    .send(1, 'none that you know\u0001\u0002')
    .close()
  const mongo = new Conversation({ clientPort: 41_003, serverPort: 27_017, start })
    .handshake()
    .send(0, opMsg(1, 0, [text('find', 'orders'), text('$db', 'shop')]))
    .send(1, opMsg(2, 1, [int('ok', 1)]))
    .send(0, opMsg(3, 0, [text('find', 'nothing'), text('$db', 'shop')]))
    .send(
      1,
      opMsg(4, 3, [
        int('ok', 0),
        text('errmsg', 'no such thing'),
        int('code', 26),
        text('codeName', 'NamespaceNotFound'),
      ]),
    )
    .close()
  const named = new Conversation({ clientPort: 41_004, server: '10.0.0.9', start: start + 1_000_000 })
    .handshake()
    .send(0, 'GET / HTTP/1.1\r\nHost: db.shop\r\n\r\n')
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    .close()
  const back = new Conversation({ client: '10.0.0.9', clientPort: 41_005, start: start + 2_000_000 })
    .handshake()
    .send(0, 'GET /back HTTP/1.1\r\nHost: x\r\n\r\n')
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    .close()
  const datagram = (sport: number, dport: number, payload: Uint8Array, time: number, turned = false) => ({
    data: udpFrame({
      src: turned ? '10.0.0.53' : '10.0.0.1',
      dst: turned ? '10.0.0.1' : '10.0.0.53',
      sport,
      dport,
      payload,
    }),
    time,
  })
  return [
    ...refused.packets,
    ...unknown.packets,
    ...mongo.packets,
    datagram(5353, 9, new TextEncoder().encode('bytes of no known protocol.'), start),
    datagram(41_053, 53, dnsMessage(0x01, 0), start),
    datagram(53, 41_053, dnsMessage(0x81, 1), start + 500, true),
    ...named.packets,
    ...back.packets,
  ]
}

function dnsMessage(flags: number, answers: number): Uint8Array {
  const name = [2, 0x64, 0x62, 4, 0x73, 0x68, 0x6f, 0x70, 0]
  const answer = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, 10, 0, 0, 9]
  const question = [0, 9, flags, 0, 0, 1, 0, answers, 0, 0, 0, 0, ...name, 0, 1, 0, 1]
  return Uint8Array.from(answers > 0 ? [...question, ...answer] : question)
}

function appendAssociation(index: CallIndex, records: CallRecord[], node: string): void {
  const flow = sampleFlow({ id: 99, transport: 'sctp' })
  const request = { kind: 'event' as const, body: new Uint8Array(9), start: DAWN, end: DAWN, size: 9 }
  const call: Call = { ...sampleCall({ flow }), protocol: 'sctp', request, summary: {} }
  const { response: _, ...alone } = call
  index.append(alone, samplePeers(flow))
  records.push(
    toCallRecord(alone, samplePeers(flow), node, 'af_packet', { node_ip: '10.9.9.9', has_pcap: true }),
  )
}

function bytes32(value: number): readonly number[] {
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255]
}

const cstring = (value: string) => [...new TextEncoder().encode(value), 0]
const text = (name: string, value: string) => [
  2,
  ...cstring(name),
  ...bytes32(value.length + 1),
  ...cstring(value),
]
const int = (name: string, value: number) => [16, ...cstring(name), ...bytes32(value)]

function opMsg(id: number, answers: number, elements: readonly (readonly number[])[]): Uint8Array {
  const inner = elements.flat()
  const rest = [...bytes32(0), 0, ...bytes32(inner.length + 5), ...inner, 0]
  return Uint8Array.from([
    ...bytes32(rest.length + 16),
    ...bytes32(id),
    ...bytes32(answers),
    ...bytes32(2013),
    ...rest,
  ])
}
