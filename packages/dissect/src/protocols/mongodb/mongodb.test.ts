import { deflateSync } from 'node:zlib'
import { Conversation } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'
import { mongodb } from './index.ts'
import { bson, cstring, ints, join, message, opMsg, sequence } from './message-builder.ts'
import { OPCODE } from './opcode.ts'

const captures = new URL('./captures/', import.meta.url)
type Turn = readonly [side: 0 | 1, bytes: Uint8Array]

function fixture(name: string, turns: readonly Turn[], serverPort = 27017) {
  const talk = new Conversation({ serverPort }).handshake()
  for (const [side, bytes] of turns) talk.send(side, bytes)
  return builtFixture(name, captures, talk.close().packets)
}

const shown = (turns: readonly Turn[], port?: number) => observe(fixture('built', turns, port).events).calls
const lines = (turns: readonly Turn[]) =>
  shown(turns).map(({ proto, method, path, status, error }) =>
    [proto, method, path, status, error].filter((part) => part !== undefined).join(' '),
  )

/** A literal without any copies is a Snappy block, too. */
const snappy = (bytes: Uint8Array) =>
  join(
    Uint8Array.of((bytes.length & 0x7f) | 0x80, bytes.length >> 7),
    Uint8Array.of(61 << 2, (bytes.length - 1) & 255, (bytes.length - 1) >> 8),
    bytes,
  )
/** A frame of zstd whose one block is as it is. */
const zstd = (bytes: Uint8Array) =>
  join(
    Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, ((bytes.length << 3) | 1) & 255, bytes.length >> 5, 0),
    bytes,
  )
const PACKERS = [(bytes: Uint8Array) => bytes, snappy, deflateSync, zstd] as const
const compressed = (
  id: number,
  answers: number,
  inner: Uint8Array,
  compressor: 0 | 1 | 2 | 3,
  pack = compressor,
) => {
  const payload = inner.subarray(16)
  const packed = PACKERS[pack](payload)
  const prefix = join(ints(OPCODE.MSG, payload.length), Uint8Array.of(compressor))
  return message(OPCODE.COMPRESSED, id, answers, prefix, packed)
}

const find = (id: number) => opMsg(id, 0, { find: 'orders', filter: { open: true }, limit: 3, $db: 'shop' })
const found = (id: number, answers: number) =>
  opMsg(id, answers, { cursor: { firstBatch: [{ _id: 1 }], id: 0n, ns: 'shop.orders' }, ok: 1 })
const refused = { ok: 0, errmsg: 'no such command', code: 59, codeName: 'CommandNotFound' }
const duplicate = { n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'E11000 duplicate key' }], ok: 1 }

const session: readonly Turn[] = [
  [0, message(OPCODE.QUERY, 1, 0, ints(4), cstring('admin.$cmd'), ints(0, -1), bson({ isMaster: 1 }))],
  [1, message(OPCODE.REPLY, 9, 1, ints(8, 0, 0, 0, 1), bson({ ismaster: true, ok: 1.5 }))],
  [0, find(2)],
  [1, found(10, 2)],
  [0, opMsg(3, 0, { insert: 'orders', $db: 'shop' }, 0, sequence('documents', { _id: 1 }, { _id: 2 }))],
  [1, opMsg(11, 3, duplicate)],
  [0, opMsg(4, 0, { nonsense: 1, $db: 'admin' })],
  [1, opMsg(12, 4, refused)],
  [0, compressed(5, 0, opMsg(5, 0, { aggregate: 'orders', pipeline: [], cursor: {}, $db: 'shop' }), 1)],
  [1, compressed(13, 5, found(13, 5), 2)],
  [0, compressed(9, 0, opMsg(9, 0, { count: 'orders', $db: 'shop' }), 3)],
  [1, compressed(16, 9, opMsg(16, 9, { n: 2, ok: 1 }), 3)],
  [0, opMsg(6, 0, { update: 'orders', $db: 'shop', writeConcern: { w: 0 } }, 2)],
  [0, opMsg(7, 0, { getMore: 5n, collection: 'orders', $db: 'shop' }, 1, ints(0x1234))],
  [1, opMsg(14, 7, { cursor: { nextBatch: [], id: 0n, ns: 'shop.orders' }, ok: 1 })],
  [0, opMsg(8, 0, { ping: 1, $db: 'admin' })],
  [1, opMsg(15, 8, { ok: 1 })],
]

describe('mongodb conforms', () => {
  const fixtures = [fixture('session', session)]
  for (const { name, run } of conformance(mongodb, { captures, fixtures })) it(name, run)
})

describe('commands and replies', () => {
  it('meet by number, whatever their order', () => {
    expect(
      lines([
        [0, join(find(2), opMsg(3, 0, { ping: 1, $db: 'admin' }))],
        [1, join(opMsg(9, 3, { ok: 1 }), found(10, 2))],
      ]),
    ).toEqual(['mongodb ping admin ok', 'mongodb find shop.orders ok'])
  })

  it('are read in every shape that they come in', () => {
    expect(lines(session)).toEqual([
      'mongodb isMaster admin ok',
      'mongodb find shop.orders ok',
      'mongodb insert shop.orders 11000 DuplicateKey',
      'mongodb nonsense admin 59 CommandNotFound',
      'mongodb aggregate shop.orders ok',
      'mongodb count shop.orders ok',
      'mongodb update shop.orders',
      'mongodb getMore shop.orders ok',
      'mongodb ping admin ok',
    ])
  })

  it('of old clients are named as those that took their place', () => {
    const old = cstring('shop.orders')
    expect(
      lines([
        [0, message(OPCODE.INSERT, 1, 0, ints(0), old, bson({ _id: 1 }))],
        [0, message(OPCODE.UPDATE, 2, 0, ints(0), old, ints(0), bson({ _id: 1 }), bson({ a: 1 }))],
        [0, message(OPCODE.DELETE, 3, 0, ints(0), old, ints(0), bson({ _id: 1 }))],
        [0, message(OPCODE.QUERY, 4, 0, ints(0), old, ints(0, 2), bson({ $query: {}, $orderby: {} }))],
        [1, message(OPCODE.REPLY, 9, 4, ints(8, 7, 0, 0, 1), bson({ _id: 1, ok: 0, err: 'data' }))],
        [0, message(OPCODE.GET_MORE, 5, 0, ints(0), old, ints(2, 7, 0))],
        [1, message(OPCODE.REPLY, 10, 5, ints(1, 0, 0, 0, 0))],
        [0, message(OPCODE.KILL_CURSORS, 6, 0, ints(0, 1, 7, 0))],
      ]),
    ).toEqual([
      'mongodb insert shop.orders',
      'mongodb update shop.orders',
      'mongodb delete shop.orders',
      'mongodb find shop.orders ok',
      'mongodb getMore shop.orders 43 CursorNotFound',
      'mongodb killCursors',
    ])
  })

  it('may be followed by replies without a further request', () => {
    const more = 2
    expect(
      lines([
        [0, opMsg(1, 0, { hello: 1, $db: 'admin' }, 0x10000)],
        [1, opMsg(20, 1, { ok: 1 }, more)],
        [1, opMsg(21, 20, { ok: 1 }, more)],
        [1, opMsg(22, 21, refused)],
      ]),
    ).toEqual(['mongodb hello admin ok', 'mongodb hello admin ok', 'mongodb hello admin 59 CommandNotFound'])
  })

  it('are marked where they cannot be unfolded', () => {
    const [call] = shown([
      [0, compressed(5, 0, find(5), 3, 0)],
      [1, found(9, 5)],
    ])
    expect(call).toMatchObject({ method: 'OP_MSG', status: 'ok', request: { unreadable: true } })
  })

  it('are known at any port, and from the middle', () => {
    expect(shown([[0, find(1)]], 4711)[0]).toMatchObject({ proto: 'mongodb', method: 'find' })
    expect(shown([[1, found(2, 1)]], 4711)[0]).toMatchObject({ proto: 'mongodb', status: 'ok' })
  })
})

describe('secrets', () => {
  const secret = new TextEncoder().encode('n,,n=root,r=hidden')
  it.each([
    ['SASL', opMsg(1, 0, { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: secret, $db: 'admin' })],
    ['a greeting', opMsg(1, 0, { hello: 1, speculativeAuthenticate: { saslStart: 1, payload: secret } })],
    ['a new user', opMsg(1, 0, { createUser: 'bob', pwd: 'n,,n=root,r=hidden', $db: 'admin' })],
  ])('of %s are not kept', (_, bytes) => {
    const [{ request }] = shown([[0, bytes]])
    const text = JSON.stringify(request)
    expect(text).not.toContain('hidden')
    expect(text).not.toContain(Buffer.from(secret).toString('base64'))
    expect(text).toContain(_ === 'a new user' ? '******' : Buffer.from('******').toString('base64'))
  })

  it('of replies are not kept', () => {
    const reply = opMsg(2, 1, { conversationId: 1, done: false, payload: secret, ok: 1 })
    const [{ response }] = shown([[1, reply]])
    expect(JSON.stringify(response)).not.toContain(Buffer.from(secret).toString('base64').slice(0, 8))
  })
})
