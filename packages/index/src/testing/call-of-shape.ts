import type { Call, Endpoint, Message } from '@tapdeck/dissect'
import type { Peers } from '../call-index.ts'
import { sampleFlow } from './sample-flow.ts'

type Shape = Readonly<Record<string, unknown>>

const encoder = new TextEncoder()

/** A call that looks, as far as an engine's call can, like a given full shape. Empty texts count as absent. */
export function callOfShape(shape: Shape, ordinal: number): { readonly call: Call; readonly peers: Peers } {
  const src = endpoint(shape.src as Shape)
  const dst = endpoint(shape.dst as Shape)
  const start = Math.round(Number(shape.ts) * 1000)
  const flow = {
    ...sampleFlow({ id: Number(shape.flow_id), start, tcp: (shape.tcp as object) ?? {} }),
    ends: [src, dst] as const,
  }
  const latency = shape.latency_ms as number | undefined
  const request: Message = {
    kind: 'request',
    head: encoder.encode(`GET / HTTP/1.1\r\n${headerLines(shape.request as Shape | undefined)}\r\n`),
    start,
    end: start + 1,
    ...(typeof shape.req_size === 'number' && { size: shape.req_size }),
  }
  const body = (shape.response as Shape).body as string | undefined
  const response: Message = {
    kind: 'response',
    head: encoder.encode('HTTP/1.1 200 OK\r\n\r\n'),
    start: start + 1,
    end: start + (latency ?? 0) * 1000,
    ...(body !== undefined && { body: encoder.encode(body) }),
  }
  const summary = {
    ...(shape.method ? { method: String(shape.method) } : {}),
    ...(shape.path ? { path: String(shape.path) } : {}),
    ...(shape.status !== undefined && { status: shape.status as string | number }),
    ...(shape.error !== undefined && { failure: String(shape.error) }),
  }
  const protocol = String(shape.proto)
  const call = { flow, ordinal, protocol, side: 0 as const, request, start, end: start, summary }
  return { call: latency === undefined ? call : { ...call, response }, peers: { src, dst } }
}

function endpoint({ ip, port, ...names }: Shape): Endpoint {
  const given = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== ''))
  return { ip: String(ip), port: Number(port) % 65_536, ...given }
}

function headerLines(request: Shape | undefined): string {
  return Object.entries((request?.headers as Shape | undefined) ?? {})
    .map(([name, value]) => `${name}: ${String(value).replaceAll(/[^ -~]/g, '.')}\r\n`)
    .join('')
}
