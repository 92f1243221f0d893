import type { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CancelledNotificationSchema,
  ErrorCode,
  type RequestId,
  RequestIdSchema,
} from '@modelcontextprotocol/sdk/types.js'

/**
 * A batch without those requests that it takes back itself: they are not to be answered, and a client that waited for their
 * answers would wait for ever. A cancellation of something else stays; it is for a request that came before.
 */
export function withoutCancelled(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  const kept: unknown[] = []
  for (const message of body as readonly unknown[]) {
    const id = cancelledId(message)
    const at = id === undefined ? -1 : kept.findIndex((earlier) => requestId(earlier) === id)
    if (at === -1) kept.push(message)
    else kept.splice(at, 1)
  }
  return kept
}

/** A batch by itself: cancellations of requests that it does not contain are ignored. */
export function withoutCancellations(body: unknown): unknown {
  return Array.isArray(body) ? body.filter((message) => cancelledId(message) === undefined) : body
}

/**
 * Ends the wait for those requests of a session that a message takes back. Nothing answers them any more, and the
 * stream on which they came stays open until everything on it is answered; clients pass over this one.
 */
export async function endCancelled(body: unknown, transport: Transport): Promise<void> {
  const error = { code: ErrorCode.ConnectionClosed, message: 'The request was cancelled' }
  for (const message of Array.isArray(body) ? body : [body]) {
    const id = cancelledId(message)
    // It throws where the request is unknown, or was answered already.
    if (id !== undefined) await transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }
}

function cancelledId(message: unknown): RequestId | undefined {
  return CancelledNotificationSchema.safeParse(message).data?.params.requestId
}

function requestId(message: unknown): RequestId | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message))
    return undefined
  return RequestIdSchema.safeParse(message.id).data
}
