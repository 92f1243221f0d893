// Makes the captures of packages/dissect/src/protocols/memcached/captures with memcached and sockets. Needs memcached
// and tcpdump; run as root. The goldens are then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/memcached
import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { finish, record, serve, talk } from './recorder.mjs'

const PORT = 11299

/** A request of the binary protocol. */
function request(opcode, { key = '', extras = '', value = '', opaque = 0, cas = 0n } = {}) {
  const body = Buffer.concat([Buffer.from(extras, 'hex'), Buffer.from(key), Buffer.from(value)])
  const header = Buffer.alloc(24)
  header[0] = 0x80
  header[1] = opcode
  header.writeUInt16BE(Buffer.byteLength(key), 2)
  header[4] = extras.length / 2
  header.writeUInt32BE(body.length, 8)
  header.writeUInt32BE(opaque, 12)
  header.writeBigUInt64BE(cas, 16)
  return Buffer.concat([header, body])
}

const STORE = '0000000700000e10'
const COUNT = '00000000000000050000000000000064' + '00000e10'

async function datagrams(payloads) {
  const socket = createSocket('udp4')
  let id = 40
  for (const payload of payloads) {
    const header = Buffer.alloc(8)
    header.writeUInt16BE(id++, 0)
    header.writeUInt16BE(1, 4)
    socket.send(Buffer.concat([header, Buffer.from(payload)]), PORT, '127.0.0.1')
    await sleep(60)
  }
  socket.close()
}

try {
  await serve(
    PORT,
    'memcached',
    '-u',
    'nobody',
    '-l',
    '127.0.0.1',
    '-p',
    String(PORT),
    '-U',
    String(PORT),
    '-m',
    '16',
  )

  await record('memcached', 'text', `tcp port ${PORT}`, async () => {
    const client = await talk(PORT)
    for (const command of [
      'get nothing',
      'set a 7 0 5\r\nhello',
      'add a 0 0 1\r\nx',
      'replace b 0 0 1\r\nx',
      'append a 0 0 6\r\n world',
      'get a',
      'gets a b',
      'cas a 0 0 3 1\r\nnew',
      'set count 0 0 2\r\n10',
      'incr count 5',
      'decr nothing 1',
      'incr a 1',
      'touch a 100',
      'gat 100 a count',
      'delete b',
      'delete count',
      'stats settings',
      'version',
      'verbosity 1',
      'nonsense',
      'set a b c',
      `get ${'k'.repeat(300)}`,
    ])
      await client.say(`${command}\r\n`)
    await client.say('set n1 0 0 1 noreply\r\n1\r\nset n2 0 0 1 noreply\r\n2\r\nget n1 n2 n3\r\n')
    await client.say('get a\r\nget n1\r\nget nothing\r\ndelete n1\r\n')
    await client.say('flush_all\r\n')
    await client.say('quit\r\n', 50)
    await client.end()
  })

  await record('memcached', 'meta', `tcp port ${PORT}`, async () => {
    const client = await talk(PORT)
    await client.say('mn\r\n')
    await client.say('ms one 5 T100\r\nhello\r\n')
    await client.say('mg one v f t\r\n')
    await client.say('mg one\r\n')
    await client.say('mg two v\r\n')
    await client.say('ma count N0 J13 v\r\nma count v\r\n')
    await client.say('md one\r\nmd one\r\n')
    await client.say(
      'ms q1 1 q\r\n1\r\nms q2 1 q\r\n2\r\nmg q1 v q k O1\r\nmg q3 v q k O2\r\nmg q2 v q k O3\r\nmn\r\n',
    )
    await client.say('ms q1 1 ME q\r\n1\r\nmd q2 q\r\nmd q2 q\r\nmn\r\n')
    await client.say('me q1\r\n')
    await client.end()
  })

  await record('memcached', 'binary', `tcp port ${PORT}`, async () => {
    const client = await talk(PORT)
    await client.say(request(11))
    await client.say(request(1, { key: 'bin', extras: STORE, value: 'binary value', opaque: 1 }))
    await client.say(request(0, { key: 'bin', opaque: 2 }))
    await client.say(request(12, { key: 'bin', opaque: 3 }))
    await client.say(request(0, { key: 'nothing', opaque: 4 }))
    await client.say(request(2, { key: 'bin', extras: STORE, value: 'x', opaque: 5 }))
    await client.say(request(1, { key: 'bin', extras: STORE, value: 'x', opaque: 6, cas: 99n }))
    await client.say(request(5, { key: 'counter', extras: COUNT, opaque: 7 }))
    await client.say(request(5, { key: 'counter', extras: COUNT, opaque: 8 }))
    await client.say(request(5, { key: 'bin', extras: COUNT, opaque: 9 }))
    await client.say(request(14, { key: 'bin', value: ' and more', opaque: 10 }))
    await client.say(
      Buffer.concat([
        request(17, { key: 'q1', extras: STORE, value: '1', opaque: 11 }),
        request(17, { key: 'q2', extras: STORE, value: '2', opaque: 12 }),
        request(13, { key: 'q1', opaque: 13 }),
        request(13, { key: 'q9', opaque: 14 }),
        request(13, { key: 'q2', opaque: 15 }),
        request(18, { key: 'q1', extras: STORE, value: 'x', opaque: 16 }),
        request(10, { opaque: 17 }),
      ]),
    )
    await client.say(request(16, { key: 'settings', opaque: 18 }))
    await client.say(request(32, { opaque: 19 }))
    await client.say(request(33, { key: 'PLAIN', value: '\0ann\0battery staple', opaque: 20 }))
    await client.say(request(28, { key: 'bin', extras: '00000064', opaque: 21 }))
    await client.say(request(4, { key: 'bin', opaque: 22 }))
    await client.say(request(8, { opaque: 23 }))
    await client.say(request(7, { opaque: 24 }))
    await client.end()
  })

  await record('memcached', 'udp', `udp port ${PORT}`, () =>
    datagrams([
      'set u 0 0 5\r\nhello\r\n',
      'get u\r\n',
      'get nothing\r\n',
      'stats\r\n',
      'set quiet 0 0 1 noreply\r\n1\r\n',
      'nonsense\r\n',
      request(0, { key: 'u', opaque: 1 }),
      request(17, { key: 'v', extras: STORE, value: 'x', opaque: 2 }),
    ]),
  )

  await record('memcached', 'big', `tcp port ${PORT}`, async () => {
    const client = await talk(PORT)
    await client.say(`set big 0 0 15000\r\n${'0123456789'.repeat(1500)}\r\n`)
    await client.say('get big\r\n')
    await client.say(`set huge 0 0 2000000\r\n`)
    await client.end()
  })
} finally {
  await finish()
}
