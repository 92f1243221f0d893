// Makes the captures of packages/dissect/src/protocols/nats/captures with nats-server and sockets. Needs nats-server
// and tcpdump; run as root. The goldens are then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/nats
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finish, record, serve, talk, work } from './recorder.mjs'

const PORT = 14299
const GUARDED = 14298
const HELLO = {
  verbose: false,
  pedantic: false,
  lang: 'node',
  version: '1.0',
  protocol: 1,
  headers: true,
  no_responders: true,
}
const connect = (more) => `CONNECT ${JSON.stringify({ ...HELLO, ...more })}\r\n`

/** A client that has introduced itself. */
async function client(port, more = {}) {
  const one = await talk(port)
  await one.hear()
  await one.say(`${connect(more)}PING\r\n`)
  return one
}

try {
  await serve(PORT, 'nats-server', '-a', '127.0.0.1', '-p', String(PORT))
  const config = join(work, 'guarded.conf')
  writeFileSync(
    config,
    `listen: 127.0.0.1:${GUARDED}
ping_interval: 1
authorization { users = [
  { user: ann, password: "battery staple", permissions: { publish: "open.>", subscribe: "open.>" } }
] }
`,
  )
  await serve(GUARDED, 'nats-server', '-c', config)

  await record('nats', 'messages', `tcp port ${PORT}`, async () => {
    const reader = await client(PORT, { name: 'reader' })
    const writer = await client(PORT, { name: 'writer' })
    await reader.say('SUB orders.* 1\r\nSUB orders.new workers 2\r\nPING\r\n')
    for (let i = 0; i < 4; i++) await writer.say(`PUB orders.new 7\r\norder ${i}\r\n`, 20)
    await writer.say('PUB orders.old answers.7 5\r\nhello\r\nPING\r\n')
    await writer.say('HPUB orders.new 31 36\r\nNATS/1.0\r\nNats-Msg-Id: 4711\r\n\r\nhello\r\nPING\r\n')
    await writer.say('SUB _INBOX.1 9\r\nUNSUB 9 1\r\nPUB nobody _INBOX.1 3\r\nask\r\n')
    await writer.say('PUB orders.empty 0\r\n\r\npub orders.lower 2\r\nhi\r\nPING\r\n')
    await reader.say('UNSUB 1\r\nPING\r\n')
    await writer.say(`PUB big 9000\r\n${'x'.repeat(9000)}\r\nPING\r\n`)
    await writer.end()
    await reader.end()
  })

  await record('nats', 'verbose', `tcp port ${PORT}`, async () => {
    const one = await client(PORT, { verbose: true, pedantic: true, name: 'verbose' })
    await one.say('SUB a 1\r\n')
    await one.say('PUB a 2\r\nhi\r\n')
    await one.say('PUB a 1\r\n1\r\nPUB a 1\r\n2\r\nPUB b 1\r\n3\r\n')
    await one.say('SUB a..b 2\r\n')
    await one.say('UNSUB 1\r\n')
    await one.say('PING\r\n')
    await one.say('NONSENSE\r\n')
    await one.end()
  })

  await record('nats', 'guarded', `tcp port ${GUARDED}`, async () => {
    const guest = await talk(GUARDED)
    await guest.hear()
    await guest.say(`${connect({ user: 'ann', pass: 'wrong \\"horse' })}PING\r\n`)
    await guest.end()
    const bearer = await talk(GUARDED)
    await bearer.hear()
    await bearer.say(connect({ auth_token: 'a secret', jwt: 'another', sig: 'a third' }))
    await bearer.end()
    const ann = await client(GUARDED, { user: 'ann', pass: 'battery staple', name: 'ann' })
    await ann.say('PUB shut.up 2\r\nhi\r\nSUB shut.up 1\r\nPUB open.door 2\r\nhi\r\nPING\r\n')
    await ann.hear(1500)
    await ann.say('PONG\r\n', 20)
    await ann.end()
    const loud = await client(GUARDED, { user: 'ann', pass: 'battery staple', verbose: true })
    await loud.say('PUB shut.up 2\r\nhi\r\n')
    await loud.say('SUB shut.up 1\r\n')
    await loud.say('PUB open.door 2\r\nhi\r\n')
    await loud.say('PING\r\n')
    await loud.end()
  })
} finally {
  await finish()
}
