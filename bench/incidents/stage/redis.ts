import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Stage } from './stage.ts'
import { TcpPool } from './tcp-pool.ts'

const PORT = 6379

/** A server of GET and SET with the values of one map; each pod has its own sockets, which a restart closes. */
export async function serveRedis(
  stage: Stage,
  service: string,
  values: Map<string, string>,
): Promise<{ server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const { ip } = stage.pod(service)
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      const [, , verb = '', , key = '', , value = ''] = bytes.toString().split('\r\n')
      if (verb === 'SET') values.set(key, value)
      const found = values.get(key)
      socket.write(
        verb === 'SET' ? '+OK\r\n' : found === undefined ? '$-1\r\n' : `$${found.length}\r\n${found}\r\n`,
      )
    })
  })
  server.listen(PORT, ip)
  await once(server, 'listening')
  return { server, sockets }
}

/** GET and SET of one pod. */
export class RedisClient {
  readonly #pool: TcpPool

  constructor(stage: Stage, from: string, to: string) {
    this.#pool = new TcpPool({
      from: stage.pod(from),
      to: stage.pod(to),
      port: PORT,
      isWhole: (bytes) => {
        const text = bytes.toString()
        if (!text.endsWith('\r\n')) return false
        return !text.startsWith('$') || text.startsWith('$-1') || text.split('\r\n').length >= 3
      },
    })
  }

  async get(key: string): Promise<string | undefined> {
    const answer = (await this.#pool.ask(command('GET', key))).toString()
    return answer.startsWith('$-1') ? undefined : answer.split('\r\n')[1]
  }

  async set(key: string, value: string): Promise<void> {
    await this.#pool.ask(command('SET', key, value))
  }
}

function command(...words: string[]): Buffer {
  return Buffer.from(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`)
}
