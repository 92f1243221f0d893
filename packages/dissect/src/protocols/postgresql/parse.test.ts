import { describe, expect, it } from 'vitest'
import {
  bind,
  callsOf,
  columns,
  complete,
  error,
  execute,
  int16,
  int32,
  joined,
  message,
  parse,
  query,
  ready,
  row,
  rows,
  startup,
  sync,
} from './testing-messages.ts'

const own = (call: { readonly [name: string]: unknown }) => Object(call.postgresql)

describe('a simple query', () => {
  it('is one call, however many statements it has', () => {
    const [call] = callsOf([
      [0, query('select 1; update t set a = 2')],
      [1, joined(columns('one'), row('1'), complete('SELECT 1'), complete('UPDATE 3'), ready)],
    ])
    expect(rows([call])).toEqual([['SELECT', 'select 1; update t set a = 2', 'ok', undefined]])
    expect(own(call)).toMatchObject({
      command: 'Query',
      rows: 1,
      tag: 'SELECT 1; UPDATE 3',
      columns: ['one'],
    })
    expect(call.response).toMatchObject({ body: '1\n' })
  })

  it('knows who asks and where', () => {
    const calls = callsOf([
      [0, startup('app', 'shop')],
      [1, joined(message('R', int32(0)), message('S', 'server_version\x0015.4\0'), ready)],
      [0, query('begin')],
      [1, joined(complete('BEGIN'), message('Z', 'T'))],
    ])
    expect(rows(calls)).toEqual([
      ['StartupMessage', undefined, 'ok', undefined],
      ['BEGIN', 'begin', 'ok', undefined],
    ])
    expect(own(calls[0]).settings).toEqual({ server_version: '15.4' })
    expect(own(calls[1])).toMatchObject({ database: 'shop', user: 'app', transaction: 'open' })
  })

  it('keeps the beginning of a statement that is very long, and all of its size', () => {
    const text = `select '${'x'.repeat(100_000)}'`
    const [call] = callsOf([
      [0, query(text)],
      [1, joined(complete('SELECT 1'), ready)],
    ])
    expect(call.path).toBe(text.slice(0, 64 * 1024))
    expect(call.request).toMatchObject({ truncated: true })
    expect(own(call).request_size).toBe(text.length + 6)
  })
})

describe('an execution', () => {
  it('has the statement of its Parse and the values of its Bind', () => {
    const calls = callsOf([
      [0, joined(parse('s1', 'select $1'), sync)],
      [1, joined(message('1'), ready)],
      [0, joined(bind('', 's1', 'ä'), execute(), sync)],
      [1, joined(message('2'), row('ä'), complete('SELECT 1'), ready)],
    ])
    expect(rows(calls)).toEqual([['SELECT', 'select $1', 'ok', undefined]])
    expect(own(calls[0])).toMatchObject({
      statement_name: 's1',
      parameters: ['ä'],
      parameter_count: 1,
      rows: 1,
    })
  })

  it('of a statement that was parsed before the capture has no text, but what its tag says', () => {
    const calls = callsOf(
      [
        [0, joined(bind('', 's9', '1'), execute(), sync)],
        [1, joined(message('2'), complete('INSERT 0 1'), ready)],
      ],
      { midstream: true },
    )
    expect(rows(calls)).toEqual([['INSERT', undefined, 'ok', undefined]])
    expect(own(calls[0])).toMatchObject({ unknown_statement: true, statement_name: 's9' })
  })

  it('fails when its preparation fails, and takes the rest of the batch with it', () => {
    const step = (text: string) => joined(parse('', text), bind('', ''), execute())
    const calls = callsOf([
      [0, joined(step('select 1'), step('select x'), step('select 3'), sync)],
      [1, joined(message('1'), message('2'), complete('SELECT 1'), error('42703', 'no column x'), ready)],
      [0, joined(step('select 4'), sync)],
      [1, joined(message('1'), message('2'), complete('SELECT 1'), ready)],
    ])
    expect(rows(calls)).toEqual([
      ['SELECT', 'select 1', 'ok', undefined],
      ['SELECT', 'select x', '42703', 'ERROR: no column x'],
      ['SELECT', 'select 3', 'skipped', 'skipped after an earlier failure'],
      ['SELECT', 'select 4', 'ok', undefined],
    ])
  })

  it('may stop after some rows and go on', () => {
    const calls = callsOf([
      [0, joined(parse('', 'select n'), bind('p', ''), execute('p', 1), message('H'))],
      [1, joined(message('1'), message('2'), row('1'), message('s'))],
      [0, joined(execute('p', 1), sync)],
      [1, joined(row('2'), complete('SELECT 1'), ready)],
    ])
    expect(
      calls.map((call) => own(call)).map(({ rows: n, suspended, portal }) => [n, suspended, portal]),
    ).toEqual([
      [1, true, 'p'],
      [1, undefined, 'p'],
    ])
  })

  it('that copies in is not thrown out of step by the Sync that the server ignores', () => {
    const calls = callsOf([
      [0, joined(parse('', 'copy t from stdin'), bind('', ''), execute(), sync)],
      [1, joined(message('1'), message('2'), message('G', [0], int16(0)))],
      [0, joined(message('d', 'one\n'), message('d', 'two\n'), message('c'), sync)],
      [1, joined(complete('COPY 2'), ready)],
      [0, query('select 1')],
      [1, joined(complete('SELECT 1'), ready)],
    ])
    expect(rows(calls)).toEqual([
      ['COPY', 'copy t from stdin', 'ok', undefined],
      ['SELECT', 'select 1', 'ok', undefined],
    ])
    expect(own(calls[0]).copy).toEqual({ direction: 'in', messages: 2, bytes: 8 })
    expect(calls[0].request).toMatchObject({ body: 'one\ntwo\n' })
  })
})

describe('a preparation alone', () => {
  it('is no call where it succeeds', () => {
    const calls = callsOf([
      [0, joined(parse('s', 'select 1'), message('D', 'Ss\0'), sync)],
      [1, joined(message('1'), message('t', int16(0)), columns('one'), ready)],
      [0, query('select 2')],
      [1, joined(complete('SELECT 1'), ready)],
    ])
    expect(rows(calls)).toEqual([['SELECT', 'select 2', 'ok', undefined]])
  })

  it('is a call where it fails', () => {
    const calls = callsOf([
      [0, joined(parse('s', 'selec 1'), sync)],
      [1, joined(error('42601', 'syntax error'), ready)],
    ])
    expect(rows(calls)).toEqual([['SELEC', 'selec 1', '42601', 'ERROR: syntax error']])
    expect(calls[0].src.port).toBe(40000)
    expect(own(calls[0])).toMatchObject({ command: 'Parse', statement_name: 's' })
  })
})

describe('what the server says unasked', () => {
  it('is an event', () => {
    const calls = callsOf([
      [0, query('listen jobs')],
      [1, joined(complete('LISTEN'), ready)],
      [1, message('A', int32(7), 'jobs\0seven\0')],
      [1, error('57P01', 'terminating', 'FATAL')],
    ])
    expect(rows(calls)).toEqual([
      ['LISTEN', 'listen jobs', 'ok', undefined],
      ['NOTIFY', 'jobs', undefined, undefined],
      ['ErrorResponse', undefined, '57P01', 'FATAL: terminating'],
    ])
    expect(own(calls[1])).toMatchObject({ channel: 'jobs', payload: 'seven', pid: 7 })
    expect(calls[1].src.port).toBe(5432)
  })

  it('within an answer belongs to it', () => {
    const [call] = callsOf([
      [0, query('set x = 1')],
      [
        1,
        joined(message('N', 'SNOTICE\0C00000\0Mmind\0\0'), message('S', 'x\x001\0'), complete('SET'), ready),
      ],
    ])
    expect(own(call)).toMatchObject({
      notices: [{ severity: 'NOTICE', message: 'mind' }],
      settings: { x: '1' },
    })
  })
})

describe('passwords', () => {
  it('are nowhere in a call', () => {
    const calls = callsOf([
      [0, startup('app', 'shop')],
      [1, message('R', int32(10), 'SCRAM-SHA-256\0\0')],
      [0, message('p', 'SCRAM-SHA-256\0', int32(9), 'n,,n=,r=HIDDEN')],
      [1, message('R', int32(11), 'r=HIDDEN')],
      [0, message('p', 'c=biws,p=HIDDEN')],
      [1, joined(message('R', int32(0)), message('K', int32(4711), 'HIDE'), ready)],
    ])
    expect(JSON.stringify(calls)).not.toContain('HIDE')
    expect(JSON.stringify(calls)).not.toContain('HIDDEN')
    expect(own(calls[0])).toMatchObject({ authentication: 'SCRAM-SHA-256', pid: 4711 })
  })
})

describe('a middle', () => {
  it('is joined at an answer', () => {
    const calls = callsOf(
      [
        [1, joined(row('1', 'one'), row('2', 'two'), complete('SELECT 2'), ready)],
        [0, query('select 3')],
        [1, joined(columns('n'), row('3'), complete('SELECT 1'), ready)],
      ],
      { midstream: true, port: 15999 },
    )
    expect(rows(calls)).toEqual([
      ['SELECT', undefined, 'ok', 'midstream'],
      ['SELECT', 'select 3', 'ok', undefined],
    ])
    expect(calls[0].dst.port).toBe(15999)
  })

  it('is joined at an answer that is broken off', () => {
    const [call] = callsOf([[1, joined(columns('n'), row('1'), complete('SELECT 1'), row('2'))]], {
      midstream: true,
      port: 15999,
    })
    expect(call).toMatchObject({ error: 'midstream', response: { body: '1\n2\n', truncated: true } })
    expect(own(call)).toMatchObject({ rows: 2, columns: ['n'] })
  })

  it('is joined at a notification, which the server sends', () => {
    const calls = callsOf(
      [
        [1, message('A', int32(7), 'jobs\0seven\0')],
        [0, query('select 3')],
        [1, joined(columns('n'), row('3'), complete('SELECT 1'), ready)],
      ],
      { midstream: true, port: 15999 },
    )
    expect(calls.map(({ src, dst }) => [src.port, dst.port])).toEqual([
      [15999, 40000],
      [40000, 15999],
    ])
  })
})
