import {
  type Call,
  CallLineWriter,
  Dissection,
  FlowLinePrefix,
  packExchange,
  protocolNamed,
  toCallRecord,
} from '@tapdeck/dissect'
import { createRedactor, noRules } from '@tapdeck/redact'
import { Conversation } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'

const SECRET = 'n33dle-s3cret'
const T0 = 1_700_000_000_000_000
const ETHERNET = 1

const u8 = (...values: number[]) => Buffer.from(values)
const u16 = (value: number) => u8(value >> 8, value & 255)
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 65_535)])
const le32 = (value: number) => Buffer.from(new Int32Array([value]).buffer)
const text = (value: string) => Buffer.from(value, 'latin1')
const join = (...parts: (Buffer | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? text(part) : part)))
const short = (value: string) => join(u16(value.length), value)
const plain = (value: string) => `\0joe\0${value}`
const base64 = (value: string) => text(value).toString('base64')

const postgres = (type: string, body: Buffer | string) => join(type, u32(body.length + 4), body)
const mysql = (number: number, body: Buffer) => join(u8(body.length & 255, body.length >> 8, 0, number), body)
const bulk = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
const ber = (tag: number, ...parts: (Buffer | string)[]) => {
  const inside = join(...parts)
  return join(u8(tag, inside.length), inside)
}
const bson = (...elements: Buffer[]) => {
  const all = join(...elements)
  return join(le32(all.length + 5), all, u8(0))
}
const element = (type: number, name: string, value: Buffer) => join(u8(type), `${name}\0`, value)
const mongo = (id: number, to: number, document: Buffer) =>
  join(le32(document.length + 21), le32(id), le32(to), le32(2013), le32(0), u8(0), document)
const cassandra = (version: number, opcode: number, body: Buffer) =>
  join(u8(version, 0), u16(1), u8(opcode), u32(body.length), body)
const amqpMethod = (id: readonly [number, number], body: Buffer) =>
  join(u8(1), u16(0), u32(body.length + 4), u16(id[0]), u16(id[1]), body, u8(0xce))
const longText = (value: string) => join(u32(value.length), value)
const memcached = (magic: number, key: string, value: string) =>
  join(
    u8(magic, 0x21),
    u16(key.length),
    u32(0),
    u32(key.length + value.length),
    u32(0),
    u32(0),
    u32(0),
    key,
    value,
  )

type Turn = readonly [0 | 1, Buffer | string]

/** A log-in of each protocol, with the secret as a client sends it. */
const logins: Readonly<Record<string, { readonly port: number; readonly turns: readonly Turn[] }>> = {
  http: {
    port: 80,
    turns: [
      [
        0,
        `GET /a?key=${SECRET} HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${base64(`joe:${SECRET}`)}\r\nCookie: s=${SECRET}\r\n\r\n`,
      ],
      [1, `HTTP/1.1 200 OK\r\nSet-Cookie: s=${SECRET}; Path=/\r\ncontent-length: 0\r\n\r\n`],
    ],
  },
  redis: {
    port: 6379,
    turns: [
      [0, bulk('AUTH', 'joe', SECRET)],
      [1, '+OK\r\n'],
      [0, bulk('HELLO', '3', 'AUTH', 'joe', SECRET)],
      [1, '+OK\r\n'],
      [0, bulk('CONFIG', 'SET', 'requirepass', SECRET)],
      [1, '+OK\r\n'],
    ],
  },
  postgresql: {
    port: 5432,
    turns: [
      [0, join(u32(4 + 4 + 9 + 1), u32(196_608), 'user\0joe\0', '\0')],
      [1, postgres('R', u32(3))],
      [0, postgres('p', `${SECRET}\0`)],
      [1, join(postgres('R', u32(0)), postgres('Z', 'I'))],
      [0, postgres('Q', `ALTER USER joe PASSWORD '${SECRET}'\0`)],
      [1, join(postgres('C', 'ALTER ROLE\0'), postgres('Z', 'I'))],
    ],
  },
  mysql: {
    port: 3306,
    turns: [
      [
        1,
        mysql(
          0,
          join(
            u8(10),
            '8.0.36\0',
            le32(7),
            'abcdefgh\0',
            u8(0xff, 0xf7, 45, 2, 0, 0xff, 0xdf, 21),
            Buffer.alloc(10),
            'ijklmnopqrst\0',
            'mysql_clear_password\0',
          ),
        ),
      ],
      [
        0,
        mysql(
          1,
          join(
            le32(0x00_0b_a2_05),
            le32(16_777_216),
            u8(45),
            Buffer.alloc(23),
            'joe\0',
            u8(SECRET.length),
            SECRET,
            'mysql_clear_password\0',
          ),
        ),
      ],
      [1, mysql(2, u8(0, 0, 0, 2, 0, 0, 0))],
      [0, mysql(0, join(u8(3), `CREATE USER 'ann' IDENTIFIED BY '${SECRET}'`))],
      [1, mysql(1, u8(0, 0, 0, 2, 0, 0, 0))],
    ],
  },
  mongodb: {
    port: 27_017,
    turns: [
      [
        0,
        mongo(
          1,
          0,
          bson(
            element(16, 'saslStart', le32(1)),
            element(2, 'mechanism', join(le32(6), 'PLAIN\0')),
            element(5, 'payload', join(le32(plain(SECRET).length), u8(0), plain(SECRET))),
            element(2, '$db', join(le32(6), 'admin\0')),
          ),
        ),
      ],
      [1, mongo(2, 1, bson(element(16, 'conversationId', le32(1)), element(16, 'ok', le32(1))))],
    ],
  },
  cassandra: {
    port: 9042,
    turns: [
      [0, cassandra(4, 1, join(u16(1), short('CQL_VERSION'), short('3.0.0')))],
      [1, cassandra(0x84, 3, short('org.apache.cassandra.auth.PasswordAuthenticator'))],
      [0, cassandra(4, 15, longText(plain(SECRET)))],
      [1, cassandra(0x84, 16, u32(0xff_ff_ff_ff))],
      [0, cassandra(4, 7, join(longText(`CREATE ROLE joe WITH PASSWORD = '${SECRET}'`), u16(1), u8(0)))],
      [1, cassandra(0x84, 8, u32(1))],
    ],
  },
  memcached: {
    port: 11_211,
    turns: [
      [0, memcached(0x80, 'PLAIN', plain(SECRET))],
      [1, memcached(0x81, '', 'Authenticated')],
    ],
  },
  nats: {
    port: 4222,
    turns: [
      [1, 'INFO {"server_id":"a","auth_required":true}\r\n'],
      [0, `CONNECT {"user":"joe","pass":"${SECRET}","auth_token":"${SECRET}","jwt":"${SECRET}"}\r\nPING\r\n`],
      [1, 'PONG\r\n'],
    ],
  },
  smtp: {
    port: 25,
    turns: [
      [1, '220 mail ESMTP\r\n'],
      [0, 'EHLO a\r\n'],
      [1, '250-mail\r\n250 AUTH PLAIN LOGIN\r\n'],
      [0, `AUTH PLAIN ${base64(plain(SECRET))}\r\n`],
      [1, '535 no\r\n'],
      [0, 'AUTH LOGIN\r\n'],
      [1, '334 VXNlcm5hbWU6\r\n'],
      [0, `${base64('joe')}\r\n`],
      [1, '334 UGFzc3dvcmQ6\r\n'],
      [0, `${base64(SECRET)}\r\n`],
      [1, '235 ok\r\n'],
    ],
  },
  amqp: {
    port: 5672,
    turns: [
      [0, 'AMQP\0\0\x09\x01'],
      [1, amqpMethod([10, 10], join(u8(0, 9), u32(0), longText('PLAIN'), longText('en_US')))],
      [0, amqpMethod([10, 11], join(u32(0), u8(5), 'PLAIN', longText(plain(SECRET)), u8(5), 'en_US'))],
      [1, amqpMethod([10, 30], join(u16(0), u32(131_072), u16(60)))],
    ],
  },
  mqtt: {
    port: 1883,
    turns: [
      [
        0,
        (() => {
          const rest = join(short('MQTT'), u8(4, 0xc2), u16(60), short('client'), short('joe'), short(SECRET))
          return join(u8(0x10, rest.length), rest)
        })(),
      ],
      [1, u8(0x20, 2, 0, 0)],
    ],
  },
  ldap: {
    port: 389,
    turns: [
      [0, ber(0x30, ber(2, u8(1)), ber(0x60, ber(2, u8(3)), ber(4, 'cn=joe'), ber(0x80, SECRET)))],
      [1, ber(0x30, ber(2, u8(1)), ber(0x61, ber(10, u8(0)), ber(4, ''), ber(4, '')))],
    ],
  },
}

function callsOf({ port, turns }: (typeof logins)[string]): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  const talk = new Conversation({
    client: '10.0.0.1',
    server: '10.0.0.2',
    clientPort: 40_000,
    serverPort: port,
    start: T0,
  })
  talk.handshake()
  for (const [side, bytes] of turns) talk.send(side, bytes)
  talk.close()
  for (const { data, time } of talk.packets)
    dissection.packet(data, 0, data.length, data.length, time, ETHERNET)
  dissection.end()
  return calls
}

it.each(Object.entries(logins))(
  '%s: a log-in is stored, shown and written without its secret',
  (name, login) => {
    const redactor = createRedactor({ ...noRules, credentials: 'mask' })!
    redactor.setKey(new Uint8Array(32).fill(1))
    const calls = callsOf(login).map((call) => redactor.call(call))
    expect(calls.map(({ protocol }) => protocol)).toContain(name)
    const peers = { src: { ip: '10.0.0.1', port: 40_000 }, dst: { ip: '10.0.0.2', port: login.port } }
    const lines = new CallLineWriter(1 << 16, 'node', 'file')
    for (const call of calls) {
      lines.full(call, new FlowLinePrefix(1, peers.src, peers.dst))
      const shown = JSON.stringify(toCallRecord(call, peers, 'node', 'file').toJSON())
      const stored = text(Buffer.from(packExchange(call)).toString('latin1'))
      for (const form of [SECRET, base64(`joe:${SECRET}`), base64(plain(SECRET)), base64(SECRET)])
        for (const written of [shown, stored.toString('latin1'), String(call.summary.path)])
          expect(written).not.toContain(form)
    }
    expect(Buffer.from(lines.out.written).toString('latin1')).not.toContain(SECRET)
  },
)

it('writes the line of a masked call as it is presented, without a slower way', () => {
  const redactor = createRedactor({ ...noRules, credentials: 'mask' })!
  redactor.setKey(new Uint8Array(32).fill(1))
  const [call] = callsOf(logins.http!).map((one) => redactor.call(one))
  const peers = { src: { ip: '10.0.0.1', port: 40_000 }, dst: { ip: '10.0.0.2', port: 80 } }
  const lines = new CallLineWriter(1 << 16, 'node', 'file')
  lines.full(call!, new FlowLinePrefix(1, peers.src, peers.dst))
  expect(
    protocolNamed('http')!.write!(call!, call!.summary, new CallLineWriter(1 << 16, 'node', 'file')),
  ).toBe(true)
  const { request, response } = toCallRecord(call!, peers, 'node', 'file').toJSON()
  const written = JSON.parse(Buffer.from(lines.out.written).toString('utf8'))
  expect(written).toMatchObject(JSON.parse(JSON.stringify({ request, response })))
  expect(request).toMatchObject({
    credential: { scheme: 'Basic' },
    query: { key: expect.stringMatching(/^masked-/) },
  })
})
