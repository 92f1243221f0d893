import { keepAlive } from './http-workload.ts'
import { Random } from './random.ts'
import type { TcpTalk } from './tcp-talk.ts'
import { connect, type Workload } from './workload.ts'

const CALLS = 3
const SIZE = 1400

/**
 * For the question of memory: connections that are all open at once, about 5 KB each, so that 1 GB has 200,000 of
 * them. Each has requests under way while the others speak.
 */
export const manyConnections: Workload = {
  ...keepAlive,
  name: 'HTTP/1.1, connections all open at once',
  word: 'http-many',
  write(file, bytes) {
    const random = new Random(8)
    const body = 'x'.repeat(SIZE)
    const told = Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${SIZE}\r\n\r\n${body}`,
    )
    const ask = () =>
      Buffer.from(
        `GET /items/${random.hex(8)} HTTP/1.1\r\nHost: shop\r\nX-Request-Id: ${random.hex(32)}\r\n\r\n`,
      )
    const talks: TcpTalk[] = []
    const number = Math.round((bytes / 1e9) * 200_000)
    for (let i = 0; i < number; i++) talks.push(connect(file, i, 8080))
    for (let round = 0; round < CALLS; round++) {
      for (const talk of talks) talk.say(0, ask())
      for (const talk of talks) talk.say(1, told)
    }
    for (const talk of talks) talk.close()
    return number * CALLS
  },
}
