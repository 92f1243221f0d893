import { describe, expect, it } from 'vitest'
import {
  bind,
  callsOf,
  columns,
  complete,
  execute,
  int32,
  joined,
  message,
  parse,
  query,
  ready,
  row,
  startup,
  sync,
} from './testing-messages.ts'

type Turn = [0 | 1, Uint8Array]

const login: Turn[] = [
  [0, startup('app', 'shop')],
  [1, joined(message('R', int32(0)), ready)],
]
const describePortal = message('D', 'P\0')
const long = Array.from({ length: 40 }, (_, i) => row(`${i}`, 'x'.repeat(200)))

/** What is asked, and the messages that answer it. */
const answers: Record<string, readonly [Uint8Array, readonly Uint8Array[]]> = {
  'a query without rows': [query('update t set a = 1'), [complete('UPDATE 1'), ready]],
  'a query in a transaction': [query('begin'), [complete('BEGIN'), message('Z', 'T')]],
  'a query with rows': [
    query('select a from t'),
    [columns('a'), row('1'), row('2'), complete('SELECT 2'), ready],
  ],
  'columns alone': [query('select a from t'), [columns('a'), complete('SELECT 0'), ready]],
  'more rows than are kept at once': [
    query('select a, b from t'),
    [columns('a', 'b'), ...long, complete('SELECT 40'), ready],
  ],
  'a statement that is prepared, bound, described and executed': [
    joined(parse('', 'select a from t'), bind('', '', 'x'), describePortal, execute(), sync),
    [message('1'), message('2'), columns('a'), row('1'), complete('SELECT 1'), ready],
  ],
  'a statement that is bound and executed': [
    joined(bind('', 's1', 'x'), execute(), sync),
    [message('2'), row('1'), row('2'), complete('SELECT 2'), ready],
  ],
  'a statement without columns': [
    joined(parse('', 'delete from t'), bind('', ''), describePortal, execute(), sync),
    [message('1'), message('2'), message('n'), complete('DELETE 7'), ready],
  ],
  'what was executed before a query of the same batch': [
    joined(bind('', 's1', 'x'), execute(), query('commit')),
    [message('2'), complete('SELECT 0'), ready],
  ],
  'a statement in front of a query': [
    query('select 1'),
    [message('1'), message('2'), columns('a'), row('1'), complete('SELECT 1'), ready],
  ],
  'an unrequested answer': [sync, [complete('SELECT 0'), ready]],
}

describe('an answer in one packet', () => {
  for (const [what, [asked, told]] of Object.entries(answers))
    it(`says the same as message by message: ${what}`, () => {
      const next: Turn[] = [
        [0, query('select 2')],
        [1, joined(complete('SELECT 2'), ready)],
      ]
      const apart = callsOf([...login, [0, asked], ...told.map((one): Turn => [1, one]), ...next])
      const whole = callsOf([...login, [0, asked], [1, joined(...told)], ...next])
      expect(whole.map(timeless)).toEqual(apart.map(timeless))
      expect(whole.length).toBe(what === 'an unrequested answer' ? 2 : what.startsWith('what was') ? 4 : 3)
    })

  it('is a call each, however many come at once', () => {
    const count = 100
    const calls = callsOf([
      ...login,
      [0, joined(...Array.from({ length: count }, (_, i) => query(`select ${i}`)))],
      [1, joined(...Array.from({ length: count }, (_, i) => [complete(`SELECT ${i}`), ready]).flat())],
    ])
    expect(calls.slice(1).map(({ path, postgresql }) => [path, Object(postgresql).tag])).toEqual(
      Array.from({ length: count }, (_, i) => [`select ${i}`, `SELECT ${i}`]),
    )
  })

  it('still shows a statement that was prepared again under the same name', () => {
    const answer = joined(message('1'), message('2'), complete('SELECT 0'), ready)
    const ask = (text: string) => joined(parse('s1', text), bind('', 's1', 'x'), execute(), sync)
    const calls = callsOf([
      ...login,
      [0, ask('select 1')],
      [1, answer],
      [0, ask('select 2')],
      [1, answer],
      [0, joined(message('C', 'Ss1\0'), bind('', 's1', 'x'), execute(), sync)],
      [1, joined(message('3'), message('2'), complete('SELECT 0'), ready)],
    ])
    expect(calls.slice(1).map(({ path }) => path)).toEqual(['select 1', 'select 2', undefined])
  })
})

/** Packets of their own come later. */
function timeless({
  ts: _,
  latency_ms: __,
  ttfb_ms: ___,
  tcp: ____,
  ...rest
}: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(rest, (name, value) => (name === 'flow' ? undefined : value)))
}
