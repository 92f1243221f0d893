import { Random } from './random.ts'
import { connect, interleave, type Workload } from './workload.ts'

const CONNECTIONS = 100

const command = (...words: readonly string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`

function exchange(random: Random): readonly [string, string] {
  const user = `user:${random.below(1e5)}`
  const session = `session:${random.hex(32)}`
  const value = `{"user":${random.below(1e5)},"cart":"${random.hex(24)}","seen":${random.below(1e6)},"roles":["${random.hex(6)}"]}`
  switch (random.below(8)) {
    case 0:
      return [command('SET', session, value, 'EX', '3600'), '+OK\r\n']
    case 1:
      return [
        command('HGETALL', user),
        `*8\r\n${bulk('name')}${bulk(random.hex(10))}${bulk('email')}${bulk(`${random.hex(8)}@shop.example`)}${bulk('visits')}${bulk(String(random.below(9999)))}${bulk('plan')}${bulk('free')}`,
      ]
    case 2:
      return [command('INCR', `rate:${random.below(5000)}`), `:${random.below(1000)}\r\n`]
    case 3:
      return [
        command('MGET', ...[1, 2, 3].map(() => `item:${random.below(1e5)}`)),
        `*3\r\n${bulk(random.hex(80))}$-1\r\n${bulk(random.hex(120))}`,
      ]
    case 4:
      return [command('EXPIRE', session, '3600'), ':1\r\n']
    case 5:
      return [command('GET', session), '$-1\r\n']
    default:
      return [command('GET', session), bulk(value)]
  }
}

export const redis: Workload = {
  name: 'Redis',
  word: 'redis',
  tshark: { filter: 'resp', fields: ['tcp.stream', 'resp.bulk_string.value', 'resp.string', 'resp.integer'] },
  write(file, bytes) {
    const random = new Random(3)
    // One in eight is a pipeline.
    const made = Array.from({ length: 8191 }, (_, index) => {
      const parts = Array.from({ length: index % 8 === 0 ? 10 : 1 }, () => exchange(random))
      const [asked, told] = [0, 1].map((side) => Buffer.from(parts.map((part) => part[side]).join('')))
      return { asked, told, calls: parts.length }
    })
    const talks = Array.from({ length: CONNECTIONS }, (_, number) => connect(file, number, 6379))
    let calls = 0
    let next = 0
    interleave(file, bytes, talks, (talk) => {
      const one = made[next++ % made.length]
      talk.ask(one.asked, one.told)
      calls += one.calls
    })
    for (const talk of talks) talk.close()
    return calls
  },
}
