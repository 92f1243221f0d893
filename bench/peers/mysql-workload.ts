import type { CaptureFile } from './capture-file.ts'
import { Random } from './random.ts'
import type { TcpTalk } from './tcp-talk.ts'
import { connect, interleave, type Workload } from './workload.ts'

const CONNECTIONS = 100
const LONG = 3
const VARCHAR = 0xfd
const COLUMNS = [
  ['id', LONG],
  ['name', VARCHAR],
  ['state', VARCHAR],
  ['total', VARCHAR],
] as const
/** Protocol 4.1, secure connection, authentication plugin, connect with database, transactions. */
const CAPABILITIES = 0x8a208
const STATEMENT = 1

const int16 = (value: number) => String.fromCharCode(value & 255, (value >> 8) & 255)
const int32 = (value: number) => int16(value & 0xffff) + int16(value >>> 16)
const text = (value: string) => String.fromCharCode(value.length) + value
const packet = (sequence: number, body: string) =>
  int16(body.length & 0xffff) + String.fromCharCode(body.length >> 16, sequence) + body
const ok = (sequence: number, affected: number, id = 0) =>
  packet(sequence, `\0${String.fromCharCode(affected, id)}${int16(2)}${int16(0)}`)
const eof = (sequence: number) => packet(sequence, `\xfe${int16(0)}${int16(0x22)}`)
const column = (sequence: number, name: string, type: number) =>
  packet(
    sequence,
    `${text('def')}${text('shop')}${text('items')}${text('items')}${text(name)}${text(name)}\x0c${int16(45)}${int32(160)}${String.fromCharCode(type)}${int16(0)}\0${int16(0)}`,
  )

const GREETING = packet(
  0,
  `\x0a8.0.39\0${int32(71)}abcdefgh\0${int16(CAPABILITIES & 0xffff)}\x2d${int16(2)}${int16(CAPABILITIES >>> 16)}\x15${'\0'.repeat(10)}ijklmnopqrst\0mysql_native_password\0`,
)
const LOGIN = packet(
  1,
  `${int32(CAPABILITIES)}${int32(0x1000000)}\x2d${'\0'.repeat(23)}app\0${text('12345678901234567890')}shop\0mysql_native_password\0`,
)

function resultSet(random: Random, binary: boolean): string {
  const count = random.below(6)
  let sequence = 1
  let told = packet(sequence++, String.fromCharCode(COLUMNS.length))
  for (const [name, type] of COLUMNS) told += column(sequence++, name, type)
  told += eof(sequence++)
  for (let i = 0; i < count; i++) {
    const values = [`tea ${random.hex(10)}`, 'in stock', (random.below(1e6) / 100).toFixed(2)]
      .map(text)
      .join('')
    const id = random.below(1e6)
    told += packet(sequence++, binary ? `\0\0${int32(id)}${values}` : text(String(id)) + values)
  }
  return told + eof(sequence)
}

function plain(random: Random): readonly [string, string] {
  const query = (statement: string) => packet(0, `\x03${statement}`)
  switch (random.below(5)) {
    case 0:
      return [
        query(
          `UPDATE items SET state = 'sold', total = ${random.below(1e4)} WHERE id = ${random.below(1e6)}`,
        ),
        ok(1, 1),
      ]
    case 1:
      return [
        query(
          `INSERT INTO events (kind, customer, payload) VALUES ('view', 'c-${random.hex(8)}', '${random.hex(60)}')`,
        ),
        ok(1, 1, 7),
      ]
    case 2:
      return random.below(10) === 0
        ? [
            query('SELECT * FROM nowhere'),
            packet(1, `\xff${int16(1146)}#42S02Table 'shop.nowhere' doesn't exist`),
          ]
        : [packet(0, '\x0e'), ok(1, 0)]
    default:
      return [
        query(
          `SELECT id, name, state, total FROM items WHERE state = 'in stock' AND total > ${random.below(1e4)} LIMIT 5`,
        ),
        resultSet(random, false),
      ]
  }
}

function prepared(random: Random): readonly [string, string] {
  const values = `\0\x01${int16(LONG)}${int16(VARCHAR)}${int32(random.below(1e6))}${text(`c-${random.hex(8)}`)}`
  return [packet(0, `\x17${int32(STATEMENT)}\0${int32(1)}${values}`), resultSet(random, true)]
}

class MysqlTalk {
  /** The login and the good-bye. */
  calls = 2
  readonly #talk: TcpTalk
  readonly #made: readonly (readonly [Buffer, Buffer])[]
  #next: number

  constructor(
    file: CaptureFile,
    number: number,
    made: readonly (readonly [Buffer, Buffer])[],
    binary: boolean,
  ) {
    this.#talk = connect(file, number, 3306)
    this.#made = made
    this.#next = number
    this.#talk.say(1, Buffer.from(GREETING, 'latin1'))
    this.#talk.ask(Buffer.from(LOGIN, 'latin1'), Buffer.from(ok(2, 0), 'latin1'))
    if (!binary) return
    const statement = 'SELECT id, name, state, total FROM items WHERE id > ? AND customer = ? LIMIT 5'
    let sequence = 1
    let told = packet(sequence++, `\0${int32(STATEMENT)}${int16(COLUMNS.length)}${int16(2)}\0${int16(0)}`)
    for (let i = 0; i < 2; i++) told += column(sequence++, '?', VARCHAR)
    told += eof(sequence++)
    for (const [name, type] of COLUMNS) told += column(sequence++, name, type)
    told += eof(sequence)
    this.#talk.ask(Buffer.from(packet(0, `\x16${statement}`), 'latin1'), Buffer.from(told, 'latin1'))
    this.calls++
  }

  speak(): void {
    this.#talk.ask(...this.#made[this.#next++ % this.#made.length])
    this.calls++
  }

  close(): void {
    this.#talk.say(0, Buffer.from(packet(0, '\x01'), 'latin1'))
    this.#talk.close()
  }
}

export const mysql: Workload = {
  name: 'MySQL, text and prepared',
  word: 'mysql',
  tshark: { filter: 'mysql', fields: ['tcp.stream', 'mysql.command', 'mysql.query', 'mysql.affected_rows'] },
  write(file, bytes) {
    const random = new Random(7)
    const made = [plain, prepared].map((exchange) =>
      Array.from({ length: 4093 }, () => {
        const [asked, told] = exchange(random)
        return [Buffer.from(asked, 'latin1'), Buffer.from(told, 'latin1')] as const
      }),
    )
    const talks = Array.from(
      { length: CONNECTIONS },
      (_, number) => new MysqlTalk(file, number, made[number % 2], number % 2 === 1),
    )
    interleave(file, bytes, talks, (talk) => talk.speak())
    for (const talk of talks) talk.close()
    return talks.reduce((sum, { calls }) => sum + calls, 0)
  },
}
