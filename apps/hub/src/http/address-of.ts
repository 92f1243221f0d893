import type { Context } from 'hono'

/** Whom the other end of the connection is, or '' without a socket. Headers of proxies are not believed. */
export function addressOf(context: Context): string {
  const incoming: unknown = (context.env as { readonly incoming?: unknown } | undefined)?.incoming
  const socket = (incoming as { readonly socket?: { readonly remoteAddress?: string } } | undefined)?.socket
  return socket?.remoteAddress ?? ''
}
