import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import type { Call } from './call.ts'
import { CallRecord, type CallSource } from './call-record.ts'
import { Dissection } from './dissection.ts'
import type { Exchange } from './dissector.ts'
import { toCallRecord } from './engine-call.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const exchange: Exchange = {
  protocol: 'http',
  request: {
    kind: 'request',
    head: bytes('GET /a?b=1 HTTP/1.1\r\nHost: shop\r\n\r\n'),
    start: 1000,
    end: 2000,
    size: 36,
  },
  response: {
    kind: 'response',
    head: bytes('HTTP/1.1 500 Oh No\r\n\r\n'),
    body: bytes('sorry'),
    start: 5000,
    end: 9000,
    size: 27,
  },
}
const source: CallSource = {
  id: 'node-1/7/0',
  ts: 1,
  src: { ip: '10.0.0.1', port: 4000, pod: 'front' },
  dst: { ip: '10.0.0.2', port: 80, svc: 'shop' },
  proto: 'http',
  method: 'GET',
  path: '/a',
  status: 500,
  latency_ms: 8,
  flow_id: 7,
  node_id: 'node-1',
  capture_source: 'af_packet',
  exchange: () => exchange,
}

describe('a call record', () => {
  it('fetches no payload for columns', () => {
    const record = new CallRecord({
      ...source,
      exchange: () => {
        throw new Error('nobody asked for this')
      },
    })
    expect([record.src.pod, record.status, record.latency_ms, record.conn_id]).toEqual(['front', 500, 8, 7])
    expect(record.compact()).toEqual({
      id: 'node-1/7/0',
      ts: 1,
      src: source.src,
      dst: source.dst,
      proto: 'http',
      method: 'GET',
      path: '/a',
      status: 500,
      latency_ms: 8,
    })
  })

  it('fetches the payload once', () => {
    let fetched = 0
    const record = new CallRecord({
      ...source,
      exchange: () => {
        fetched++
        return exchange
      },
    })
    expect([
      record.request?.path,
      record.response?.status,
      record.req_headers?.host,
      record.resp_body,
      record.req_size,
    ]).toEqual(['/a', 500, 'shop', 'sorry', 36])
    expect(fetched).toBe(1)
  })

  it('leaves out what is not there', () => {
    const { response: _, ...half } = exchange
    const json = new CallRecord({ ...source, exchange: () => half }).toJSON()
    expect(Object.values(json)).not.toContain(undefined)
    expect(Object.keys(json)).not.toContain('response')
    expect(Object.keys(json)).not.toContain('resp_size')
    expect(Object.keys(json)).not.toContain('tcp')
  })

  it('shows a protocol’s own object under its name', () => {
    const head = Uint8Array.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1])
    const asked = { protocol: 'dns', request: { kind: 'request', head } } as const
    const record: object = new CallRecord({ ...source, proto: 'dns', exchange: () => asked })
    expect(Reflect.get(record, 'dns')).toMatchObject({ id: 7, question_names: ['a'] })
    expect(Reflect.get(record, 'http')).toBeUndefined()
    expect(JSON.parse(JSON.stringify(record)).dns.question_types).toEqual(['A'])
  })
})

describe('a call out of the engine', () => {
  const flow = {
    id: 7,
    transport: 'tcp',
    ends: [
      { ip: '10.0.0.1', port: 4000 },
      { ip: '10.0.0.2', port: 80 },
    ],
    midstream: false,
    start: 0,
    last: 0,
    halves: [
      { packets: 0, bytes: 0, goodput: 0, missing: 0 },
      { packets: 0, bytes: 0, goodput: 0, missing: 0 },
    ],
    state: undefined,
  } as const
  const call = { flow, ordinal: 3, side: 0, start: 1000, end: 9000, ...exchange } as const
  const names = { src: flow.ends[0], dst: flow.ends[1] }

  it('has its id, its times and its failure', () => {
    const record = toCallRecord(
      { ...call, summary: { status: 500, failure: '500 Oh No' } },
      names,
      'node-1',
      'file',
    )
    expect(record.toJSON()).toMatchObject({
      id: 'node-1/7/3',
      ts: 1,
      latency_ms: 8,
      ttfb_ms: 3,
      error: '500 Oh No',
      conn_id: 7,
    })
  })

  it('says what is missing rather than what failed', () => {
    const { response: _, ...rest } = call
    const record = toCallRecord({ ...rest, missing: 'no_response', summary: {} }, names, 'node-1', 'file')
    expect(record.error).toBe('no_response')
    expect(record.latency_ms).toBeUndefined()
  })
})

describe('the text of a call', () => {
  const talk = () =>
    new Conversation()
      .handshake()
      .send(0, 'POST /a?b=1 HTTP/1.1\r\nHost: shop\r\nContent-Length: 4\r\n\r\n"x"\n')
      .send(1, 'HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 4\r\n\r\n\xff\x00!')
  const cases = {
    'of HTTP': talk().send(0, 'GET /late HTTP/1.1\r\n\r\n').close().packets,
    'of a flow that nobody recognised': new Conversation().handshake().send(0, '\x01\x02\x03').reset(1)
      .packets,
    'of Redis': new Conversation({ serverPort: 6379 })
      .handshake()
      .send(0, '*1\r\n$4\r\nPING\r\n')
      .send(1, '+PONG\r\n').packets,
  }
  it.each(Object.entries(cases))('%s is that of JSON.stringify', (_name, packets) => {
    const calls: Call[] = []
    const dissection = new Dissection({ emit: (call) => calls.push(call) })
    feed(dissection, packets)
    dissection.end()
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) {
      const [src, dst] = call.flow.ends
      const record = toCallRecord(call, { src, dst }, 'n', 'file', { has_pcap: true })
      expect(record.toText()).toBe(JSON.stringify(record))
      const { flow: _flow, tcp, ...early } = record.toJSON()
      const rest = record.proto === 'tcp' ? { ...early, tcp } : early
      expect(JSON.parse(record.toText(false))).toEqual(JSON.parse(JSON.stringify(rest)))
    }
  })
})
