// Makes the captures of websocket with the npm package ws on loopback, server and client. Needs tcpdump; run as root.
// The goldens are then written with   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/websocket
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket, { WebSocketServer } from 'ws'
import { finish, record } from './recorder.mjs'

const PORT = 14480

/** An order as a shop would push it: texts that resemble each other, which is what compression lives on. */
const order = (number) =>
  JSON.stringify({
    type: 'order',
    id: number,
    customer: `customer ${number % 3}`,
    items: ['tea', 'cups', 'kettle'],
  })

async function session(name, { path = '/live', deflate = false, clientDeflate = deflate }, talk) {
  await record('websocket', name, `tcp port ${PORT}`, async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: PORT, perMessageDeflate: deflate })
    await once(server, 'listening')
    const accepted = once(server, 'connection')
    const client = new WebSocket(`ws://127.0.0.1:${PORT}${path}`, { perMessageDeflate: clientDeflate })
    await once(client, 'open')
    const [peer] = await accepted
    client.on('error', () => {})
    peer.on('error', () => {})
    await talk(client, peer)
    if (client.readyState !== WebSocket.CLOSED) await Promise.race([once(client, 'close'), sleep(1000)])
    server.close()
  })
}

const send = async (socket, ...args) => {
  socket.send(...args)
  await sleep(10)
}

await session('messages', { path: '/live?room=7' }, async (client, server) => {
  server.on('message', (data, isBinary) => server.send(data, { binary: isBinary }))
  await send(client, 'hello')
  await send(client, 'grüße aus der küche')
  await send(client, Buffer.from([0, 1, 2, 250, 251, 252]))
  await send(client, '')
  for (let i = 0; i < 5; i++) await send(server, order(i))
  client.ping('are you there?')
  await sleep(10)
  server.ping()
  await sleep(10)
  // Fragments, with a ping between them.
  client.send('one ', { fin: false })
  await sleep(10)
  client.ping()
  client.send('two ', { fin: false })
  await sleep(10)
  await send(client, 'three', { fin: true })
  await send(client, 'x'.repeat(300))
  await send(server, Buffer.alloc(5000, 'tea '))
  client.close(1000, 'that was all')
})

await session('deflate', { deflate: { threshold: 0 } }, async (client, server) => {
  for (let i = 0; i < 8; i++) {
    await send(client, order(i))
    await send(server, order(i + 100))
  }
  client.send(order(50), { fin: false })
  await send(client, order(51), { fin: true })
  await send(client, 'not compressed', { compress: false })
  await send(client, 'tea and cups '.repeat(200))
  await send(client, order(60))
  server.close(1011, 'out of tea')
})

await session(
  'no-takeover',
  { deflate: { threshold: 0, serverNoContextTakeover: true, clientNoContextTakeover: true } },
  async (client, server) => {
    for (let i = 0; i < 4; i++) {
      await send(client, order(i))
      await send(server, order(i + 100))
    }
    client.close(4001, 'own reasons')
  },
)

await session('cut', {}, async (client, server) => {
  await send(client, 'soon gone')
  server.send('never ', { fin: false })
  await sleep(10)
  client.terminate()
})
await finish()
