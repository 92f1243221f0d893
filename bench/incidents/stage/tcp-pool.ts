import { connect, type Socket } from 'node:net'
import type { StagePod } from './stage.ts'

/** A connection on which one request at a time waits for its answer. */
interface Line {
  readonly socket: Socket
  answer: ((bytes: Buffer) => boolean) | undefined
  fail: ((error: Error) => void) | undefined
}

interface PoolOptions {
  readonly from: StagePod
  readonly to: StagePod
  readonly port: number
  /** What is sent on a new connection before the first request. */
  readonly greeting?: Buffer
  /** Whether these bytes, all since the request, are a whole answer. */
  readonly isWhole: (bytes: Buffer) => boolean
}

/** Connections of one pod to another, kept open and used again. */
export class TcpPool {
  readonly #options: PoolOptions
  readonly #idle: Line[] = []

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async ask(request: Buffer): Promise<Buffer> {
    const line = this.#idle.pop() ?? (await this.#open())
    const answer = await this.#exchange(line, request)
    this.#idle.push(line)
    return answer
  }

  async #open(): Promise<Line> {
    const { from, to, port, greeting } = this.#options
    const socket = connect({ host: to.ip, port, localAddress: from.ip })
    socket.setNoDelay(true)
    const line: Line = { socket, answer: undefined, fail: undefined }
    let received = Buffer.alloc(0)
    const broken = (error: Error) => {
      const at = this.#idle.indexOf(line)
      if (at >= 0) this.#idle.splice(at, 1)
      line.fail?.(error)
    }
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (line.answer?.(received)) received = Buffer.alloc(0)
    })
    socket.once('close', () => broken(new Error('connection closed')))
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    socket.on('error', broken)
    if (greeting) await this.#exchange(line, greeting)
    return line
  }

  #exchange(line: Line, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      line.fail = reject
      line.answer = (bytes) => {
        if (!this.#options.isWhole(bytes)) return false
        line.answer = undefined
        line.fail = undefined
        resolve(bytes)
        return true
      }
      line.socket.write(request)
    })
  }
}
