import { be16, be32, bytes, Conversation, concat } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'
import { done, longString, message, query, ready, segment, string } from './message-builder.ts'
import { OPCODE } from './opcode.ts'

type Turn = readonly [side: 0 | 1, bytes: Uint8Array]
const here = new URL('./captures/', import.meta.url)
const ID = new Uint8Array(16).fill(7)

function watch(turns: readonly Turn[], midstream = false) {
  const talk = new Conversation({ serverPort: 9042 })
  if (!midstream) talk.handshake()
  for (const [side, said] of turns) talk.send(side, said)
  return observe(builtFixture('built', here, talk.close().packets).events)
}

const lines = (turns: readonly Turn[], midstream = false) =>
  watch(turns, midstream).calls.map(({ proto, method, path, status, error }) =>
    [proto, method, path, status, error].filter((part) => part !== undefined).join(' '),
  )

const execute = (stream: number, id: Uint8Array) =>
  message(0, OPCODE.EXECUTE, stream, concat(be16(16), id, be16(1), Uint8Array.of(0)))
const prepare = (stream: number, text: string) => message(0, OPCODE.PREPARE, stream, longString(text))
/** No values, one partition key of none, no columns. */
const prepared = (stream: number, id: Uint8Array) =>
  message(
    1,
    OPCODE.RESULT,
    stream,
    concat(be32(4), be16(16), id, be32(0), be32(0), be32(0), be32(4), be32(0)),
  )

describe('requests and answers', () => {
  it('meet by stream, whatever their order', () => {
    expect(
      lines([
        [0, concat(query(1, 'SELECT 1'), query(2, 'SELECT 2'))],
        [1, concat(done(2), done(1))],
      ]),
    ).toEqual(['cassandra QUERY SELECT 2 Void', 'cassandra QUERY SELECT 1 Void'])
  })

  it('find the last request of a stream, where an answer before was lost', () => {
    expect(
      lines([
        [0, query(1, 'SELECT 1')],
        [0, query(1, 'SELECT 2')],
        [1, done(1)],
      ]),
    ).toEqual(['cassandra QUERY SELECT 2 Void', 'cassandra QUERY SELECT 1 no_response'])
  })

  it('name the statement of an id that the connection has prepared, and only of that', () => {
    const other = new Uint8Array(16).fill(9)
    const { calls } = watch([
      [0, prepare(1, 'SELECT ?')],
      [1, prepared(1, ID)],
      [0, concat(execute(1, ID), execute(2, other))],
      [1, concat(done(1), done(2))],
    ])
    expect(calls.map(({ path }) => path)).toEqual(['SELECT ?', 'SELECT ?', undefined])
    expect(calls[2]).toMatchObject({ cassandra: { unknown_statement: true, statement_id: '09'.repeat(16) } })
  })

  it('do not take the statement of a PREPARE whose answer was an error', () => {
    const failed = message(1, OPCODE.ERROR, 1, concat(be32(0x2000), string('no')))
    expect(
      lines([
        [0, prepare(1, 'SELEKT ?')],
        [1, failed],
        [0, query(1, 'SELECT 1')],
        [1, prepared(1, ID)],
        [0, execute(1, ID)],
        [1, done(1)],
      ]),
    ).toEqual([
      'cassandra PREPARE SELEKT ? Syntax_error Syntax_error: no',
      'cassandra QUERY SELECT 1 Prepared',
      'cassandra EXECUTE Void',
    ])
  })

  it('keep no password', () => {
    const token = bytes('\0app\0hidden')
    const answer = message(0, OPCODE.AUTH_RESPONSE, 1, concat(be32(token.length), token))
    const { calls } = watch([
      [0, answer],
      [1, message(1, OPCODE.AUTH_SUCCESS, 1, be32(0xffffffff))],
    ])
    expect(calls).toMatchObject([{ method: 'AUTH_RESPONSE', path: 'app', status: 'AUTH_SUCCESS' }])
    expect(JSON.stringify(calls)).not.toMatch(/hidden|aGlkZGVu/)
  })

  it('name errors that the specification does not by their number', () => {
    const answer = message(
      1,
      OPCODE.ERROR,
      1,
      concat(be32(0x1000), string('down'), be16(4), be32(2), be32(1)),
    )
    const unknown = message(1, OPCODE.ERROR, 2, concat(be32(0x7777), string('odd')))
    const { calls } = watch([
      [0, concat(query(1, 'SELECT 1'), query(2, 'SELECT 2'))],
      [1, concat(answer, unknown)],
    ])
    expect(calls).toMatchObject([
      {
        status: 'Unavailable',
        error: 'Unavailable: down',
        cassandra: { error: { consistency: 'QUORUM', required: 2, alive: 1 } },
      },
      { status: '0x7777', cassandra: { error: { code: 0x7777 } } },
    ])
  })

  it('are known in the middle of a connection, from either side', () => {
    expect(lines([[1, done(5)]], true)).toEqual(['cassandra Void midstream'])
    expect(lines([[0, query(5, 'SELECT 1')]], true)).toEqual(['cassandra QUERY SELECT 1 no_response'])
  })

  it('count rows without columns without going through them', () => {
    const rows = message(1, OPCODE.RESULT, 1, concat(be32(2), be32(4), be32(0), be32(0x7fffffff)))
    const { calls } = watch([
      [0, query(1, 'SELECT 1')],
      [1, rows],
    ])
    expect(calls).toMatchObject([{ cassandra: { rows: 0x7fffffff } }])
  })
})

describe('version 5', () => {
  const options: Uint8Array = concat(be16(1), string('CQL_VERSION'), string('3.0.0'))
  const hello: readonly Turn[] = [
    [0, message(0, OPCODE.STARTUP, 0, options, 5)],
    [1, ready(0, 5)],
  ]
  const five = (stream: number, text: string) => query(stream, text, 5)

  it('goes over to segments, which may hold several messages', () => {
    expect(
      lines([
        ...hello,
        [0, segment(concat(five(1, 'SELECT 1'), five(2, 'SELECT 2')))],
        [1, segment(concat(done(1, 5), done(2, 5)))],
      ]),
    ).toEqual(['cassandra STARTUP READY', 'cassandra QUERY SELECT 1 Void', 'cassandra QUERY SELECT 2 Void'])
  })

  it('puts a message together that takes several segments', () => {
    const long = five(1, `SELECT '${'x'.repeat(1000)}'`)
    const { calls } = watch([
      ...hello,
      [0, concat(segment(long.subarray(0, 400), false), segment(long.subarray(400), false))],
      [0, segment(five(2, 'SELECT 2'))],
      [1, segment(concat(done(2, 5), done(1, 5)))],
    ])
    expect(calls.map(({ path }) => String(path).length)).toEqual([0 + 'undefined'.length, 8, 1009])
  })

  it('gives what there is of a message whose other segments never come', () => {
    const long = five(1, `SELECT '${'x'.repeat(1000)}'`)
    const { calls } = watch([
      ...hello,
      [0, segment(long.subarray(0, 400), false)],
      [0, segment(five(2, 'SELECT 2'))],
      [1, segment(done(2, 5))],
    ])
    expect(calls.slice(1)).toMatchObject([
      { path: 'SELECT 2', status: 'Void' },
      { method: 'QUERY', error: 'no_response', request: { truncated: true } },
    ])
  })

  it('refuses a segment whose sum is another', () => {
    const bad = segment(five(1, 'SELECT 1'))
    bad[bad.length - 1] ^= 1
    expect(watch([...hello, [0, bad]]).loss.malformed_messages).toBe(1)
  })

  it('is known from a segment in the middle of a connection', () => {
    expect(lines([[1, segment(done(3, 5))]], true)).toEqual(['cassandra Void midstream'])
  })
})
