import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** What belongs to the offer alone (RFC 9110, 7.8; RFC 7540, 3.2.1). */
const OFFER = new Set(['upgrade', 'connection', 'http2-settings'])

/**
 * A request whose offer of another protocol is declined is an ordinary request: clients that would rather speak HTTP/2
 * send one along with whatever they ask first. It is put back before what follows it, without the offer, for the server
 * to read it again.
 */
export function declineUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]!
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[at + 1]}`)
  }
  const text = `${lines.join('\r\n')}\r\n\r\n`
  // As the parser gives them: a byte for each character.
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]))
}
