import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Stage } from './stage.ts'
import { TcpPool } from './tcp-pool.ts'

const PORT = 5432
const READY = message('Z', Buffer.from('I'))
const STARTUP_PROTOCOL = 196_608

/** A server that answers each simple query with one row, after what the statement takes. */
export async function servePostgres(
  stage: Stage,
  service: string,
  respond: (statement: string) => Promise<string>,
): Promise<void> {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    let isOpen = false
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      for (;;) {
        const head = isOpen ? 1 : 0
        if (received.length < head + 4 || received.length < head + received.readUInt32BE(head)) return
        const end = head + received.readUInt32BE(head)
        const statement = received.toString('utf8', head + 4, end - 1)
        received = received.subarray(end)
        if (isOpen) void answer(socket, statement, respond)
        else socket.write(Buffer.concat([message('R', Buffer.alloc(4)), READY]))
        isOpen = true
      }
    })
  })
  server.listen(PORT, stage.pod(service).ip)
  await once(server, 'listening')
}

async function answer(
  socket: Socket,
  statement: string,
  respond: (statement: string) => Promise<string>,
): Promise<void> {
  const value = Buffer.from(await respond(statement))
  const verb = statement.split(' ', 1)[0]?.toUpperCase()
  const complete = message('C', Buffer.from(verb === 'SELECT' ? 'SELECT 1\0' : `${verb}\0`))
  if (verb !== 'SELECT') socket.write(Buffer.concat([complete, READY]))
  else {
    // One column `value` of type text (25).
    const field = Buffer.concat([
      Buffer.from('value\0'),
      Buffer.from('00000000000000000019ffffffffffff0000', 'hex'),
    ])
    const row = Buffer.concat([uint16(1), uint32(value.length), value])
    socket.write(
      Buffer.concat([message('T', Buffer.concat([uint16(1), field])), message('D', row), complete, READY]),
    )
  }
}

/** Simple queries of one pod. */
export class PostgresClient {
  readonly #pool: TcpPool

  constructor(stage: Stage, from: string, to: string) {
    const parameters = Buffer.from('user\0shop\0database\0shop\0\0')
    this.#pool = new TcpPool({
      from: stage.pod(from),
      to: stage.pod(to),
      port: PORT,
      greeting: Buffer.concat([uint32(parameters.length + 8), uint32(STARTUP_PROTOCOL), parameters]),
      isWhole: (bytes) => bytes.length >= READY.length && bytes.subarray(-READY.length).equals(READY),
    })
  }

  async query(statement: string): Promise<void> {
    await this.#pool.ask(message('Q', Buffer.from(`${statement}\0`)))
  }
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), uint32(body.length + 4), body])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
