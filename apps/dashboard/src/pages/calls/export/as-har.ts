import type { CallDetails, CallMessage } from '../../../client/call-details.ts'

type Headers = CallMessage['headers']

/** Protocols whose messages are those of HTTP. */
const HTTP: readonly string[] = ['http', 'graphql', 'grpc']
/** What HAR gives for a size that is not known. */
const UNKNOWN = -1

/** HTTP Archive 1.2 of the HTTP calls among these, oldest first. Undefined where there are none. */
export function asHar(calls: readonly CallDetails[], version: string): string | undefined {
  const entries = calls
    .filter(({ proto, request }) => HTTP.includes(proto) && request !== undefined)
    .toSorted((a, b) => a.ts - b.ts)
    .map(entryOf)
  if (entries.length === 0) return undefined
  return JSON.stringify(
    { log: { version: '1.2', creator: { name: 'Tapdeck', version }, entries } },
    undefined,
    1,
  )
}

function entryOf(call: CallDetails) {
  const { ts, latency_ms = 0, ttfb_ms, request = {}, response, dst, conn_id } = call
  const wait = Math.min(ttfb_ms ?? latency_ms, latency_ms)
  const httpVersion = `HTTP/${String(request.http_version ?? '1.1')}`
  return {
    startedDateTime: new Date(ts).toISOString(),
    time: latency_ms,
    request: {
      method: String(request.method ?? ''),
      url: String(request.url ?? `http://${dst.ip}:${dst.port}${String(request.path ?? '/')}`),
      httpVersion,
      cookies: [],
      headers: headersOf(request.headers),
      queryString: Object.entries(request.query ?? {}).map(([name, value]) => ({
        name,
        value: String(value),
      })),
      headersSize: sizeOf(request.headers_size),
      bodySize: sizeOf(request.body_size),
      ...(request.body ? { postData: { mimeType: typeOf(request), text: request.body } } : {}),
    },
    response: {
      // As browsers write an answer that never came.
      status: Number(response?.status ?? 0),
      statusText: String(response?.reason ?? ''),
      httpVersion,
      cookies: [],
      headers: headersOf(response?.headers),
      content: {
        size: sizeOf(response?.body_size),
        mimeType: response ? typeOf(response) : '',
        ...(response?.body ? { text: response.body } : {}),
        ...(response?.body_encoding === 'base64' ? { encoding: 'base64' } : {}),
      },
      redirectURL: String(response?.headers?.location ?? ''),
      headersSize: sizeOf(response?.headers_size),
      bodySize: sizeOf(response?.body_size),
    },
    cache: {},
    timings: { send: 0, wait, receive: Math.max(0, latency_ms - wait) },
    serverIPAddress: dst.ip,
    connection: String(conn_id ?? ''),
    ...(call.error !== undefined && { comment: call.error }),
  }
}

function headersOf(headers: Headers = {}): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one) => ({ name, value: one })),
  )
}

function typeOf({ headers }: CallMessage): string {
  return String(headers?.['content-type'] ?? '')
}

function sizeOf(value: unknown): number {
  return typeof value === 'number' ? value : UNKNOWN
}
