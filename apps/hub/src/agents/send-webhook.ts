import { createHmac, randomUUID } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { version } from '../version.ts'
import { guardedLookup, isRefused } from './webhook-address.ts'

const WITHIN_MS = 10_000

export interface Delivery {
  readonly url: string
  readonly secret: string | undefined
  readonly body: string
  /** The same for each attempt of one delivery, so that a receiver recognises repetitions. */
  readonly id: string
  readonly signal: AbortSignal
  /** Told of our end of the connection that it goes out on. */
  readonly opened: (ip: string, port: number) => void
}

/**
 * Sends once and resolves with the status. Redirects are not followed: the address was chosen by the creator of the agent,
 * not by the receiver. The body of the answer is not read.
 */
export function sendWebhook({ url, secret, body, id, signal, opened }: Delivery): Promise<number> {
  const target = new URL(url)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isRefused(host))
    return Promise.reject(new Error(`webhooks to the address ${host} are not allowed`))
  const at = Math.floor(Date.now() / 1000)
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = request(target, {
      method: 'POST',
      lookup: guardedLookup,
      // One connection a delivery: nothing is shared between agents, and nothing stays open.
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `tapdeck/${version}`,
        'x-tapdeck-delivery': id,
        'x-tapdeck-timestamp': String(at),
        ...(secret !== undefined && { 'x-tapdeck-signature': `sha256=${signature(secret, at, body)}` }),
      },
    })
    sent.on('socket', (socket) =>
      socket.on('connect', () => opened(socket.localAddress ?? '', socket.localPort ?? 0)),
    )
    sent.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    sent.on('error', (error) =>
      reject(error.name === 'TimeoutError' ? new Error('request timed out') : error),
    )
    sent.end(body)
  })
}

/** Of the time and the body: an old message cannot be sent again under a new time. */
function signature(secret: string, at: number, body: string): string {
  return createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
}

export function deliveryId(): string {
  return randomUUID()
}
