import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

const MAX_BYTES = 1024 * 1024
const WITHIN_MS = 5000

export interface FetchInit {
  readonly method?: string
  readonly headers?: Headers | Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | null | undefined
}

/**
 * Like `fetch`, for a few small JSON documents: it trusts the certificates of a file besides, follows no redirect,
 * reads at most a megabyte and waits at most five seconds.
 */
export function trustingFetch(caFile: string): (url: string, init?: FetchInit) => Promise<Response> {
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const secure = url.startsWith('https:')
      const deadline = AbortSignal.timeout(WITHIN_MS)
      const request = (secure ? httpsRequest : httpRequest)(
        url,
        {
          method: init.method ?? 'GET',
          headers: Object.fromEntries(new Headers(init.headers)),
          signal: init.signal ? AbortSignal.any([init.signal, deadline]) : deadline,
          ...(secure && caFile !== '' && { ca: readFileSync(caFile) }),
        },
        (answer) => {
          const pieces: Buffer[] = []
          let size = 0
          answer.on('data', (piece: Buffer) => {
            pieces.push(piece)
            size += piece.length
            if (size > MAX_BYTES) request.destroy(new Error('the response is too large'))
          })
          answer.on('error', reject)
          answer.on('end', () => {
            const headers = new Headers()
            for (const [name, values] of Object.entries(answer.headersDistinct))
              for (const value of values ?? []) headers.append(name, value)
            const status = answer.statusCode ?? 500
            const empty = status === 204 || status === 304
            resolve(new Response(empty ? null : Buffer.concat(pieces), { status, headers }))
          })
        },
      )
      request.on('error', reject)
      request.end(bodyOf(init.body))
    })
}

function bodyOf(body: unknown): string | Uint8Array | undefined {
  if (body instanceof Uint8Array || typeof body === 'string' || body === undefined || body === null)
    return body ?? undefined
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('unsupported body type: expected text or bytes')
}
