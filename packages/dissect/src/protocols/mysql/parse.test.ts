import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  callsOf,
  column,
  eof,
  err,
  greeting,
  int32,
  joined,
  login,
  ok,
  packet,
  query,
  rows,
  text,
} from './testing-packets.ts'

const own = (call: { readonly [name: string]: unknown }) => Object(call.mysql)
const start = (more = 0) =>
  [
    [1, greeting()],
    [0, login(more)],
    [1, ok(2)],
  ] as const

describe('the login', () => {
  it('is a call without its password, through all that the server asks', () => {
    const calls = callsOf([
      [1, greeting()],
      [0, login()],
      [1, packet(2, [0xfe], 'caching_sha2_password\x00HIDDEN-SALT-0000000\0')],
      [0, packet(3, 'HIDDEN')],
      [1, joined(packet(4, [1, 3]), ok(5))],
      [0, query('select 1')],
      [1, err(1, 1064, 'no')],
    ])
    expect(JSON.stringify(calls)).not.toContain('HIDDEN')
    expect(rows(calls)).toEqual([
      ['HandshakeResponse', undefined, 'ok', undefined],
      ['SELECT', 'select 1', 1064, 'no'],
    ])
    expect(own(calls[0])).toMatchObject({
      plugin: 'caching_sha2_password',
      server_version: '8.0.35',
      thread: 7,
    })
    expect(own(calls[1])).toMatchObject({
      user: 'app',
      database: 'shop',
      error: { code: 1064, state: '42000' },
    })
  })

  it('that is refused is a failure, also where the server does not even greet', () => {
    expect(
      rows(
        callsOf([
          [1, greeting()],
          [0, login()],
          [1, err(2, 1045, 'Access denied')],
        ]),
      ),
    ).toEqual([['HandshakeResponse', undefined, 1045, 'Access denied']])
    const [call] = callsOf([[1, packet(0, [0xff, 0x10, 4], 'Too many connections')]])
    expect(rows([call])).toEqual([['Connect', undefined, 1040, 'Too many connections']])
    expect(call.dst.port).toBe(3306)
  })
})

describe('a statement', () => {
  it('may come after attributes, as newer clients send them', () => {
    const attributes = 0x8000000
    const calls = callsOf([
      ...start(attributes),
      [0, packet(0, [3, 0, 1], 'select 1')],
      [1, ok(1)],
      [0, packet(0, [3, 1, 1, 0, 1, 0xfd, 0], text('trace'), text('abc'), 'select 2')],
      [1, ok(1)],
    ])
    expect(calls.slice(1).map(({ path }) => path)).toEqual(['select 1', 'select 2'])
  })

  it('of more than 16 MB is one call', () => {
    const long = `insert into t values ('${'x'.repeat(0xffffff - 24)}`
    expect(long.length + 1).toBe(0xffffff)
    const calls = callsOf([...start(), [0, joined(query(long), packet(1, "xxx')"))], [1, ok(2, 1)]])
    expect(rows(calls.slice(1))).toEqual([['INSERT', long.slice(0, 64 * 1024), 'ok', undefined]])
    expect(own(calls[1])).toMatchObject({ request_size: 0xffffff + 4 + 9, affected_rows: 1 })
    expect(calls[1].request).toMatchObject({ truncated: true })
  })

  it('may change the database', () => {
    const calls = callsOf([
      ...start(),
      [0, query('use `other`')],
      [1, ok(1)],
      [0, query('use nowhere')],
      [1, err(1, 1049, 'Unknown database')],
      [0, packet(0, [0x0e])],
      [1, ok(1)],
    ])
    expect(calls.map((call) => own(call).database)).toEqual(['shop', 'shop', 'other', 'other'])
  })

  it('has all its results', () => {
    const [, call] = callsOf([
      ...start(),
      [0, query('call p()')],
      [
        1,
        joined(
          joined(packet(1, [1]), column(2, 'a'), eof(3), packet(4, text('1')), eof(5, 10)),
          joined(
            packet(6, [2]),
            column(7, 'b'),
            column(8, 'c'),
            eof(9),
            packet(10, text('2'), [0xfb]),
            eof(11, 10),
          ),
          ok(12, 3),
        ),
      ],
    ])
    expect(own(call)).toMatchObject({ rows: 2, results: 3, affected_rows: 3, columns: ['a'] })
    expect(call.response).toMatchObject({ body: '1\n2\t\\N\n' })
  })

  it('that was broken off between two results has those that came', () => {
    const [, call] = callsOf([
      ...start(),
      [0, query('call p()')],
      [1, joined(packet(1, [1]), column(2, 'a'), eof(3), packet(4, text('1')), eof(5, 10))],
    ])
    expect(call).toMatchObject({ status: 'ok', response: { body: '1\n', truncated: true } })
    expect(own(call)).toMatchObject({ rows: 1, columns: ['a'] })
  })
})

describe('prepared statements', () => {
  const prepare = packet(0, [0x16], 'select ?, ?')
  const prepared = joined(
    packet(1, [0], int32(5), [1, 0, 2, 0, 0, 0, 0]),
    column(2, '?'),
    column(3, '?'),
    eof(4),
    column(5, 'a'),
    eof(6),
  )
  const execute = packet(0, [0x17], int32(5), [0], int32(1), [0, 1, 3, 0, 0xfd, 0], int32(42), text('ä'))
  const answer = joined(packet(1, [1]), column(2, 'a', 3), eof(3), packet(4, [0, 0], int32(42)), eof(5))

  it('are executed with their text and their values', () => {
    const calls = callsOf([
      ...start(),
      [0, prepare],
      [1, prepared],
      [0, execute],
      [1, answer],
      [0, packet(0, [0x19], int32(5))],
    ])
    expect(rows(calls.slice(1))).toEqual([
      ['SELECT', 'select ?, ?', 'ok', undefined],
      ['SELECT', 'select ?, ?', 'ok', undefined],
      ['COM_STMT_CLOSE', 'select ?, ?', undefined, undefined],
    ])
    expect(own(calls[2])).toMatchObject({ statement_id: 5, parameters: ['42', 'ä'], rows: 1 })
    expect(calls[2].response).toMatchObject({ body: '42\n' })
  })

  it('from before the capture are unknown', () => {
    const calls = callsOf(
      [
        [0, execute],
        [1, answer],
      ],
      { midstream: true },
    )
    expect(rows(calls)).toEqual([['COM_STMT_EXECUTE', undefined, 'ok', undefined]])
    expect(own(calls[0])).toMatchObject({ statement_id: 5, unknown_statement: true, rows: 1 })
  })
})

describe('a middle', () => {
  const answer = (marks: boolean) =>
    marks
      ? joined(packet(1, [1]), column(2, 'a'), eof(3), packet(4, text('x')), eof(5))
      : joined(packet(1, [1]), column(2, 'a'), packet(3, text('x')), packet(4, [0xfe, 0, 0, 2, 0, 0, 0]))

  it.each([true, false])('is joined whether definitions end with a mark (%s) or not', (marks) => {
    const calls = callsOf(
      [
        [0, query('select a from t')],
        [1, answer(marks)],
        [0, packet(0, [0x16], 'select b')],
        [1, joined(packet(1, [0], int32(1), [1, 0, 0, 0, 0, 0, 0]), column(2, 'b'), marks ? eof(3) : [])],
        [0, query('select a from empty')],
        [
          1,
          joined(
            packet(1, [1]),
            column(2, 'a'),
            marks ? joined(eof(3), eof(4)) : packet(3, [0xfe, 0, 0, 2, 0, 0, 0]),
          ),
        ],
        [0, query('update t set a = 1')],
        [1, ok(1, 9)],
      ],
      { midstream: true, port: 15999 },
    )
    expect(rows(calls)).toEqual([
      ['SELECT', 'select a from t', 'ok', undefined],
      ['SELECT', 'select b', 'ok', undefined],
      ['SELECT', 'select a from empty', 'ok', undefined],
      ['UPDATE', 'update t set a = 1', 'ok', undefined],
    ])
    expect(calls.map((call) => own(call).rows)).toEqual([1, undefined, 0, undefined])
  })

  /** A frame of zstd whose one block is as it is. */
  const zstd = (data: Uint8Array) =>
    joined([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38], int32((data.length << 3) | 1).slice(0, 3), data)

  it.each([
    ['zlib', (data: Uint8Array): Uint8Array => deflateSync(data)],
    ['zstd', zstd],
  ])('is joined where both sides compress with %s', (_, pack) => {
    const compressed = (sequence: number, data: Uint8Array) => {
      const small = pack(data)
      return joined(int32(small.length).slice(0, 3), [sequence], int32(data.length).slice(0, 3), small)
    }
    const plain = (sequence: number, data: Uint8Array) =>
      joined(int32(data.length).slice(0, 3), [sequence, 0, 0, 0], data)
    const whole = answer(true)
    const calls = callsOf(
      [
        [0, compressed(0, query('select a from t'))],
        [
          1,
          joined(
            compressed(1, whole.subarray(0, 33)),
            plain(2, whole.subarray(33, 50)),
            compressed(3, whole.subarray(50)),
          ),
        ],
        [0, plain(0, query('select b'))],
        [1, plain(1, err(1, 1054, 'Unknown column'))],
      ],
      { midstream: true },
    )
    expect(rows(calls)).toEqual([
      ['SELECT', 'select a from t', 'ok', undefined],
      ['SELECT', 'select b', 1054, 'Unknown column'],
    ])
    expect(calls[0].response).toMatchObject({ rows: 1, body: 'x\n' })
  })
})

describe('a file of the client', () => {
  it('belongs to the statement that asked for it', () => {
    const calls = callsOf([
      ...start(),
      [0, query("load data local infile 'f' into table t")],
      [1, packet(1, [0xfb], 'f')],
      [0, joined(packet(2, '1\tone\n'), packet(3))],
      [1, ok(4, 1)],
      [0, packet(0, [1])],
    ])
    expect(rows(calls.slice(1))).toEqual([
      ['LOAD', "load data local infile 'f' into table t", 'ok', undefined],
      ['COM_QUIT', undefined, undefined, undefined],
    ])
    expect(own(calls[1])).toMatchObject({ local_file: 'f', local_bytes: 6, affected_rows: 1 })
    expect(calls[1].request).toMatchObject({ body: '1\tone\n' })
  })
})
