import type { Call, Endpoint, Message, MissingMessage } from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import type { Peers } from '../call-index.ts'
import { DAWN, sampleFlow } from './sample-flow.ts'

export interface CallOptions {
  readonly flow?: Flow
  readonly ordinal?: number
  /** Microseconds. */
  readonly start?: number
  readonly latency?: number
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly answered?: boolean
  /** Why there is no answer, where there is none. */
  readonly missing?: MissingMessage
}

const encoder = new TextEncoder()

/** An HTTP call as the engine would emit it. */
export function sampleCall(options: CallOptions = {}): Call {
  const { flow = sampleFlow(), ordinal = 0, start = DAWN, latency = 5000 } = options
  const { method = 'GET', path = '/orders/1', status = 200, answered = true } = options
  const request = half(
    'request',
    `${method} ${path} HTTP/1.1\r\n${lines({ host: 'shop' })}\r\n`,
    '',
    start,
    start + 100,
  )
  const response = half(
    'response',
    `HTTP/1.1 ${status} Reason\r\n${lines({ 'content-type': 'application/json', ...options.headers })}\r\n`,
    options.body ?? '{"ok":true}',
    start + latency - 100,
    start + latency,
  )
  const call = { flow, ordinal, protocol: 'http', side: 0 as const, request, start }
  const summary = { method, path }
  if (!answered) return { ...call, end: start + 100, missing: options.missing ?? 'no_response', summary }
  return {
    ...call,
    response,
    end: start + latency,
    summary: { ...summary, status, ...(status >= 400 && { failure: `${status} Reason` }) },
  }
}

/** The peers of a call on that flow, requester first. */
export function samplePeers(flow: Flow, src: Partial<Endpoint> = {}, dst: Partial<Endpoint> = {}): Peers {
  return { src: { ...flow.ends[0], ...src }, dst: { ...flow.ends[1], ...dst } }
}

function half(kind: 'request' | 'response', head: string, body: string, start: number, end: number): Message {
  const headBytes = encoder.encode(head)
  const bodyBytes = encoder.encode(body)
  return {
    kind,
    head: headBytes,
    ...(bodyBytes.length > 0 && { body: bodyBytes }),
    start,
    end,
    size: headBytes.length + bodyBytes.length,
  }
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
