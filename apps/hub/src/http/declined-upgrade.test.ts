import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

/** Sends the pieces one after the other, and gives all that comes until the other side has nothing more to say. */
async function answers(...pieces: string[]): Promise<string> {
  const socket = connect(hub.port, '127.0.0.1')
  const closed = once(socket, 'close')
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await closed
  return text
}

const offer =
  'host: 127.0.0.1\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk'
const last = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'

it('a client that offers HTTP/2 along with its request is answered in the HTTP that it speaks', async () => {
  hub = await startHub()
  await hub.open()
  const got = await answers(`GET /mcp/dissection HTTP/1.1\r\n${offer}\r\n\r\n`, last)
  expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(got).toContain('{"enabled":true}')
})

it('so is one whose body comes with the offer, at once or in pieces', async () => {
  hub = await startHub()
  await hub.open()
  const body = '{"name":"A","duration":"1h"}'
  const post = `POST /mcp/snapshots HTTP/1.1\r\n${offer}\r\ncontent-length: ${body.length}\r\n\r\n`
  for (const pieces of [[post + body], [post, body.slice(0, 9), body.slice(9)]]) {
    const got = await answers(...pieces, last)
    expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
    expect(got).toContain('a name is 1 to 64')
  }
})

it.each(['websocket', 'h2c'])('an address that is none is 400, with an offer of %s too', async (protocol) => {
  hub = await startHub()
  await hub.open()
  for (const address of ['//', '//:x', 'http://[']) {
    const headers = `host: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: ${protocol}`
    const got = await answers(`GET ${address} HTTP/1.1\r\n${headers}\r\n\r\n`, last)
    expect(got.slice(0, 12), `${address} ${got}`).toMatch(/^HTTP\/1\.1 40[04]$/)
    if (protocol === 'websocket') expect(got).toContain('"code":"broken_request"')
  }
  expect(hub.logged.join('')).not.toContain('unexpected error')
})
