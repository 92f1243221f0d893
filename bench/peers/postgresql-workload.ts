import type { CaptureFile } from './capture-file.ts'
import { Random } from './random.ts'
import type { TcpTalk } from './tcp-talk.ts'
import { connect, interleave, type Workload } from './workload.ts'

const CONNECTIONS = 100
const INT4 = 23
const TEXT = 25
const COLUMNS = [
  ['id', INT4],
  ['customer', TEXT],
  ['state', TEXT],
  ['total', TEXT],
  ['created_at', TEXT],
] as const

const int16 = (value: number) => String.fromCharCode((value >> 8) & 255, value & 255)
const int32 = (value: number) => int16(value >>> 16) + int16(value & 0xffff)
const message = (type: string, body = '') => `${type}${int32(body.length + 4)}${body}`
const counted = (values: readonly string[]) =>
  int16(values.length) + values.map((value) => int32(value.length) + value).join('')

const ROW_DESCRIPTION = message(
  'T',
  int16(COLUMNS.length) +
    COLUMNS.map(
      ([name, type], index) =>
        `${name}\0${int32(16_402)}${int16(index + 1)}${int32(type)}${int16(type === INT4 ? 4 : 0xffff)}${int32(-1)}${int16(0)}`,
    ).join(''),
)
const READY = message('Z', 'I')
const SYNC = message('S')
const SELECT =
  'SELECT id, customer, state, total, created_at FROM orders WHERE customer = $1 AND state = $2 ORDER BY created_at DESC LIMIT 20'
const HELLO = (() => {
  const body = `${int32(196_608)}user\0shop\0database\0shop\0application_name\0orders\0\0`
  return int32(body.length + 4) + body
})()
const WELCOME = [
  message('R', int32(0)),
  ...['server_version\x0015.8', 'client_encoding\0UTF8', 'DateStyle\0ISO, MDY', 'TimeZone\0Etc/UTC'].map(
    (one) => message('S', `${one}\0`),
  ),
  message('K', int32(4711) + int32(0x1234567)),
  READY,
].join('')

const prepare = (name: string) => message('P', `${name}\0${SELECT}\0${int16(0)}`)
const bind = (name: string, values: readonly string[]) =>
  message('B', `\0${name}\0${int16(0)}${counted(values)}${int16(0)}`)
const DESCRIBE = message('D', 'P\0')
const EXECUTE = message('E', `\0${int32(0)}`)

function rows(random: Random, most: number): string {
  const count = random.below(most + 1)
  let text = ''
  for (let i = 0; i < count; i++)
    text += message(
      'D',
      counted([
        String(random.below(1e6)),
        `c-${random.hex(8)}`,
        'shipped',
        (random.below(1e6) / 100).toFixed(2),
        '2023-11-14 22:13:20.123456+00',
      ]),
    )
  return `${text}${message('C', `SELECT ${count}\0`)}`
}

/** What node-postgres, JDBC and psql send: unnamed and named statements, and plain queries. */
function exchange(random: Random, kind: number): readonly [string, string] {
  const values = [`c-${random.hex(8)}`, 'shipped']
  const bound = message('2')
  if (kind === 0)
    return [
      prepare('') + bind('', values) + DESCRIBE + EXECUTE + SYNC,
      message('1') + bound + ROW_DESCRIPTION + rows(random, 4) + READY,
    ]
  if (kind === 1) return [bind('s1', values) + EXECUTE + SYNC, bound + rows(random, 4) + READY]
  switch (random.below(4)) {
    case 0:
      return [
        message(
          'Q',
          `UPDATE orders SET state = 'paid', total = ${random.below(1e4)} WHERE id = ${random.below(1e6)}\0`,
        ),
        message('C', 'UPDATE 1\0') + READY,
      ]
    case 1:
      return [
        message(
          'Q',
          `INSERT INTO events (kind, customer, payload) VALUES ('view', 'c-${random.hex(8)}', '${random.hex(60)}')\0`,
        ),
        message('C', 'INSERT 0 1\0') + READY,
      ]
    case 2:
      return random.below(10) === 0
        ? [
            message('Q', `SELECT * FROM carts_${random.below(9)}\0`),
            message(
              'E',
              'SERROR\0VERROR\0C42P01\0Mrelation "carts" does not exist\0P15\0Fparse_relation.c\0L1392\0RparserOpenTable\0\0',
            ) + READY,
          ]
        : [message('Q', 'SELECT 1\0'), ROW_DESCRIPTION + rows(random, 1) + READY]
    default:
      return [
        message(
          'Q',
          `SELECT id, customer, state, total, created_at FROM orders WHERE id = ${random.below(1e6)}\0`,
        ),
        ROW_DESCRIPTION + rows(random, 2) + READY,
      ]
  }
}

class PostgresTalk {
  calls = 1
  readonly #talk: TcpTalk
  readonly #made: readonly (readonly [Buffer, Buffer])[]
  #next: number

  constructor(
    file: CaptureFile,
    number: number,
    made: readonly (readonly [Buffer, Buffer])[],
    named: boolean,
  ) {
    this.#talk = connect(file, number, 5432)
    this.#made = made
    this.#next = number
    this.#talk.ask(Buffer.from(HELLO, 'latin1'), Buffer.from(WELCOME, 'latin1'))
    if (!named) return
    const asked = prepare('s1') + message('D', 'Ss1\0') + SYNC
    const told = message('1') + message('t', int16(2) + int32(TEXT) + int32(TEXT)) + ROW_DESCRIPTION + READY
    this.#talk.ask(Buffer.from(asked, 'latin1'), Buffer.from(told, 'latin1'))
    // Nothing is executed: no call.
  }

  speak(): void {
    this.#talk.ask(...this.#made[this.#next++ % this.#made.length])
    this.calls++
  }

  close(): void {
    this.#talk.say(0, Buffer.from(message('X'), 'latin1'))
    this.#talk.close()
  }
}

export const postgresql: Workload = {
  name: 'PostgreSQL, extended and simple',
  word: 'postgresql',
  tshark: { filter: 'pgsql', fields: ['tcp.stream', 'pgsql.type', 'pgsql.query', 'pgsql.tag'] },
  write(file, bytes) {
    const random = new Random(6)
    const made = [0, 1, 2].map((kind) =>
      Array.from({ length: 4093 }, () => {
        const [asked, told] = exchange(random, kind)
        return [Buffer.from(asked, 'latin1'), Buffer.from(told, 'latin1')] as const
      }),
    )
    const talks = Array.from(
      { length: CONNECTIONS },
      (_, number) => new PostgresTalk(file, number, made[number % 3], number % 3 === 1),
    )
    interleave(file, bytes, talks, (talk) => talk.speak())
    for (const talk of talks) talk.close()
    return talks.reduce((sum, { calls }) => sum + calls, 0)
  },
}
