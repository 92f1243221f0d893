import { describe, expect, it } from 'vitest'
import type { Exchange } from '../contract/dissector.ts'
import { CallRecord, type CallSource } from './call-record.ts'
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
  it('loads no payload for columns', () => {
    const record = new CallRecord({
      ...source,
      exchange: () => {
        throw new Error('the payload was loaded')
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

  it('loads the payload once', () => {
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

  it('omits absent values', () => {
    const { response: _, ...requestOnly } = exchange
    const json = new CallRecord({ ...source, exchange: () => requestOnly }).toJSON()
    expect(Object.values(json)).not.toContain(undefined)
    expect(Object.keys(json)).not.toContain('response')
    expect(Object.keys(json)).not.toContain('resp_size')
    expect(Object.keys(json)).not.toContain('tcp')
  })

  it('has the protocol’s own fields under its name', () => {
    const head = Uint8Array.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1])
    const asked = { protocol: 'dns', request: { kind: 'request', head } } as const
    const record: object = new CallRecord({ ...source, proto: 'dns', exchange: () => asked })
    expect(Reflect.get(record, 'dns')).toMatchObject({ id: 7, question_names: ['a'] })
    expect(Reflect.get(record, 'http')).toBeUndefined()
    expect(JSON.parse(JSON.stringify(record)).dns.question_types).toEqual(['A'])
  })
})

describe('a call from the engine', () => {
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
    directions: [
      { packets: 0, bytes: 0, goodput: 0, missing: 0 },
      { packets: 0, bytes: 0, goodput: 0, missing: 0 },
    ],
    state: undefined,
  } as const
  const call = { flow, ordinal: 3, side: 0, start: 1000, end: 9000, ...exchange } as const
  const names = { src: flow.ends[0], dst: flow.ends[1] }

  it('has its id, times and failure', () => {
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

  it('reports a missing message rather than a failure', () => {
    const { response: _, ...rest } = call
    const record = toCallRecord({ ...rest, missing: 'no_response', summary: {} }, names, 'node-1', 'file')
    expect(record.error).toBe('no_response')
    expect(record.latency_ms).toBeUndefined()
  })
})
